package io.sifr.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.spi.BackupStorage.Content;
import io.sifr.spi.BackupStorage.StoredObject;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.s3.S3Client;

/** A bucket does what is expected of a storage, with a server that speaks HTTP. */
@Tag("host")
class S3StorageTest {
  private S3Server server;
  private S3Client client;

  @BeforeEach
  void start() throws Exception {
    server = new S3Server();
    client = server.client();
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.close();
  }

  private S3Storage storage(String prefix) {
    return S3Storage.of(client, S3Server.BUCKET, prefix);
  }

  private static Content content(byte[] bytes) {
    return new Content() {
      @Override
      public long bytes() {
        return bytes.length;
      }

      @Override
      public InputStream open() {
        return new ByteArrayInputStream(bytes);
      }
    };
  }

  private static void put(S3Storage storage, String name, String text) throws IOException {
    storage.put(name, content(text.getBytes(UTF_8)));
  }

  private static String get(S3Storage storage, String name) throws IOException {
    try (InputStream in = storage.get(name)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private static Map<String, Long> list(S3Storage storage, String prefix) throws IOException {
    Map<String, Long> sizes = new TreeMap<>();
    List<StoredObject> objects = new ArrayList<>();
    storage.list(prefix, objects::add);
    objects.forEach(object -> sizes.put(object.name(), object.bytes()));
    assertThat(sizes).as("each once").hasSameSizeAs(objects);
    return sizes;
  }

  @Test
  void objectsArePutReadListedAndDeleted() throws IOException {
    S3Storage storage = storage("fruit/");
    put(storage, "a/b", "first");
    put(storage, "a/b", "second");
    put(storage, "a/c", "");
    put(storage, "top", "3");
    put(storage("vegetables/"), "a/b", "other");
    put(storage(""), "none", "no prefix");
    assertThat(get(storage, "a/b")).isEqualTo("second");
    assertThat(get(storage, "a/c")).isEmpty();
    assertThat(list(storage, "")).isEqualTo(Map.of("a/b", 6L, "a/c", 0L, "top", 1L));
    assertThat(list(storage, "a/")).isEqualTo(Map.of("a/b", 6L, "a/c", 0L));
    assertThat(list(storage(""), ""))
        .containsOnlyKeys("fruit/a/b", "fruit/a/c", "fruit/top", "none", "vegetables/a/b");
    storage.delete("a/b");
    storage.delete("a/b");
    assertThat(list(storage, "a/")).containsOnlyKeys("a/c");
    assertThatThrownBy(() -> storage.get("a/b"))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage("s3://bucket/fruit/a/b");
  }

  @Test
  void theServerSaysWhenAnObjectWasPut() throws IOException {
    S3Storage storage = storage("");
    put(storage, "a", "1");
    storage.list(
        "",
        object ->
            assertThat(Duration.between(object.modified(), Instant.now()).abs())
                .isLessThan(Duration.ofMinutes(5)));
  }

  @Test
  void listingsHaveManyPages() throws IOException {
    S3Storage storage = storage("many/");
    for (int i = 0; i < 1100; i++) {
      put(storage, "number-" + i, "");
    }
    assertThat(list(storage, "")).hasSize(1100);
  }

  @Test
  void largeObjectsComeBackAsTheyWere() throws IOException {
    byte[] bytes = new byte[20 << 20];
    new Random(1).nextBytes(bytes);
    S3Storage storage = storage("");
    storage.put("large", content(bytes));
    try (InputStream in = storage.get("large")) {
      assertThat(in.readAllBytes()).isEqualTo(bytes);
    }
    try (InputStream in = storage.get("large")) {
      assertThat(in.read()).isEqualTo(bytes[0] & 0xFF);
    } // which does not read the rest first
  }

  /** Of a server that closes the connection, which the client of JDK 17 takes for the end. */
  @Test
  void anAnswerThatEndsEarlyIsAnException() throws Exception {
    try (ServerSocket breaking = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        S3Client broken =
            S3Server.client(
                URI.create("http://127.0.0.1:" + breaking.getLocalPort()),
                new ExecutionInterceptor() {},
                1,
                UrlConnectionHttpClient.create())) {
      Thread answers = new Thread(() -> answerWithHalf(breaking));
      answers.start();
      S3Storage through = S3Storage.of(broken, S3Server.BUCKET, "");
      assertThatThrownBy(() -> get(through, "large")).isInstanceOf(IOException.class);
      answers.join();
    }
  }

  private static void answerWithHalf(ServerSocket server) {
    try (Socket socket = server.accept()) {
      BufferedReader request =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      String line = request.readLine();
      while (line != null && !line.isEmpty()) {
        line = request.readLine();
      }
      socket
          .getOutputStream()
          .write(
              ("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + "x".repeat(500))
                  .getBytes(UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatContentThrowsEndsThePut() throws IOException {
    S3Storage storage = storage("");
    Content breaking =
        new Content() {
          @Override
          public long bytes() {
            return 1 << 20;
          }

          @Override
          public InputStream open() throws IOException {
            throw new IOException("drawn");
          }
        };
    assertThatThrownBy(() -> storage.put("a", breaking))
        .isInstanceOf(IOException.class)
        .hasRootCauseMessage("drawn");
    assertThat(list(storage, "")).doesNotContainKey("a");
  }

  @Test
  void whatIsTooLargeForOnePutIsRefused() {
    Content large =
        new Content() {
          @Override
          public long bytes() {
            return S3Storage.MOST_BYTES + 1;
          }

          @Override
          public InputStream open() {
            throw new AssertionError("it is not read");
          }
        };
    assertThatThrownBy(() -> storage("").put("a", large))
        .isInstanceOf(IOException.class)
        .hasMessage("s3://bucket/a would have 5368709121 bytes; an object may have 5368709120");
  }

  @Test
  void whatTheServerRefusesIsAnException() {
    S3Storage missing = S3Storage.of(client, "missing", "");
    assertThatThrownBy(() -> missing.list("", object -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("s3://missing/");
    assertThatThrownBy(() -> put(missing, "a", "1")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> missing.get("a"))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(NoSuchFileException.class);
  }

  @Test
  void otherPrefixesAreRefused() {
    for (String prefix : List.of("fruit", "/fruit/", "/")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> storage(prefix))
          .withMessageContaining("prefix is \"" + prefix + "\"; allowed: ");
    }
    assertThatIllegalArgumentException().isThrownBy(() -> S3Storage.of(client, "", ""));
    assertThat(storage("fruit/")).hasToString("s3://bucket/fruit/");
  }
}
