package io.sifr.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.BasicAuthenticator;
import com.sun.net.httpserver.HttpServer;
import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.config.DatabaseOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreWindowTest {
  private Store store;
  private StoreWindow window;
  private URI address;

  @BeforeEach
  void open() {
    store = Store.inMemory().open();
    window = StoreWindow.builder(store).open();
    address = window.address();
  }

  @AfterEach
  void close() {
    window.close();
    store.close();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(UTF_8);
  }

  private Http.Response named(String host) throws IOException {
    return Http.send(address, "GET", "/api/store", "Host: " + host);
  }

  @Test
  void itListensAtTheLoopbackAddress() {
    assertThat(InetAddress.getLoopbackAddress().getHostAddress()).isEqualTo(address.getHost());
    assertThat(address.getPort()).isPositive();
  }

  @Test
  void othersThanTheMachineReachItOnlyIfAnAddressIsGiven() throws IOException {
    try (StoreWindow all = StoreWindow.builder(store).address("0.0.0.0").open()) {
      assertThat(all.address().getHost()).isEqualTo("localhost");
      assertThat(Http.get(all.address(), "/").status()).isEqualTo(200);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StoreWindow.builder(store).address("no such host.invalid").open())
        .withMessageContaining("no such host.invalid");
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LOCALHOST:9", "127.0.0.1", "127.0.0.1:7437", "[::1]:7437"})
  void hostsOfThisMachineAreAnswered(String host) throws IOException {
    assertThat(named(host).status()).isEqualTo(200);
  }

  /** A browser sends such when a page from elsewhere has let its name lead here. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:7437",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost:7437.evil.example",
        "evil.example#localhost",
        "127.0.0.2",
        "10.1.2.3",
        "[::2]",
        "[::1",
        ""
      })
  void otherHostsAreRefused(String host) throws IOException {
    Http.Response response = named(host);
    assertThat(response.status()).isEqualTo(403);
    assertThat(response.error()).contains("allowed: localhost");
  }

  @Test
  void aRequestNamesOneHost() throws IOException {
    assertThat(Http.send(address, "GET", "/").status()).isEqualTo(403);
    assertThat(Http.send(address, "GET", "/", "Host: localhost", "Host: evil.example").status())
        .isEqualTo(403);
  }

  @Test
  void aHostCanBeAllowed() throws IOException {
    try (StoreWindow behindProxy = StoreWindow.builder(store).host("Store.example").open()) {
      URI at = behindProxy.address();
      assertThat(Http.send(at, "GET", "/", "Host: store.example").status()).isEqualTo(200);
      assertThat(Http.send(at, "GET", "/", "Host: other.example").status()).isEqualTo(403);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"})
  void nothingIsWritten(String method) throws IOException {
    String host = "Host: " + address.getAuthority();
    for (String path : List.of("/", "/api/store", "/api/entries")) {
      Http.Response response = Http.send(address, method, path, host);
      assertThat(response.status()).isEqualTo(405);
      assertThat(response.headers()).containsEntry("allow", "GET, HEAD");
    }
    assertThat(store.lastSequence()).isZero();
  }

  @Test
  void headHasTheHeadersOfGetAndNoBody() throws IOException {
    for (String path : List.of("/", "/window.js", "/api/metrics", "/api/nothing")) {
      Http.Response get = Http.get(address, path);
      Http.Response head = Http.send(address, "HEAD", path, "Host: " + address.getAuthority());
      assertThat(head.status()).isEqualTo(get.status());
      assertThat(head.body()).isEmpty();
      for (String name : List.of("content-type", "content-length", "content-security-policy")) {
        assertThat(head.headers()).containsEntry(name, get.headers().get(name));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/,text/html,200",
    "/window.css,text/css,200",
    "/window.js,text/javascript,200",
    "/api/store,application/json,200",
    "/api/entries?limit=0,application/json,400",
    "/nothing,application/json,404",
  })
  void nothingFromElsewhereIsLoadedAndNothingIsKept(String path, String type, int status)
      throws IOException {
    Http.Response response = Http.get(address, path);
    assertThat(response.status()).isEqualTo(status);
    assertThat(response.headers())
        .containsEntry("content-type", type + "; charset=utf-8")
        .containsEntry("x-content-type-options", "nosniff")
        .containsEntry("cache-control", "no-store")
        .containsEntry("x-frame-options", "DENY")
        .containsEntry("cross-origin-resource-policy", "same-origin")
        .containsEntry("referrer-policy", "no-referrer")
        .doesNotContainKey("access-control-allow-origin");
    assertThat(response.headers().get("content-security-policy"))
        .startsWith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';")
        .doesNotContain("unsafe")
        .doesNotContain("http")
        .doesNotContain("*");
  }

  @Test
  void filesBesideThePageAreNotServed() throws IOException {
    for (String path :
        List.of("/window.html", "/StoreWindow.class", "/../window.js", "/api", "/api/")) {
      assertThat(Http.get(address, path).status()).as(path).isEqualTo(404);
    }
    assertThat(Http.get(address, "/api/backups").error())
        .isEqualTo(
            "there is no such question; allowed: databases, entries, forest, metrics, store, value");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "entries?limit=0 | parameter limit is 0; allowed: 1 to 200",
        "entries?limit=201 | parameter limit is 201; allowed: 1 to 200",
        "entries?limit=many | parameter limit is many; allowed: 1 to 200",
        "entries?limit=1&limit=2 | parameter limit is given twice; allowed: once",
        "entries?from=0 | parameter from is wrong; allowed: an even number of hexadecimal digits,"
            + " at most 131072",
        "entries?after=xy | parameter after is wrong; allowed: an even number of hexadecimal"
            + " digits, at most 131072",
        "entries?from=00&before=01 | allowed: at most one of the parameters from, after, before,"
            + " end",
        "entries?end=yes | parameter end is yes; allowed: true",
        "entries?<script>=1 | unknown parameter <script>; allowed: after, before, database, end,"
            + " from, limit, prefix",
        "store?a=1 | unknown parameter a; allowed: none",
        "value?database=default | parameter key is missing",
        "value?key=00&length=65537 | parameter length is 65537; allowed: 1 to 65536",
        "value?key=00&from=-1 | parameter from is -1; allowed: 0 to 2147483647",
        "databases?limit=1000 | parameter limit is 1000; allowed: 1 to 200",
      })
  void badParametersAreToldWithWhatIsAllowed(String question, String message) throws IOException {
    String path = "/api/" + question.replace("<", "%3C").replace(">", "%3E");
    Http.Response response = Http.get(address, path);
    assertThat(response.status()).as(response.toString()).isEqualTo(400);
    assertThat(response.error()).isEqualTo(message);
    assertThat(response.json().size()).isEqualTo(1);
  }

  @Test
  void whatIsNotThereIsNotFound() throws IOException {
    Http.Response database = Http.get(address, "/api/entries?database=%3Cimg%3E");
    assertThat(database.status()).isEqualTo(404);
    assertThat(database.error()).isEqualTo("there is no database <img>");
    Http.Response key = Http.get(address, "/api/value?key=00");
    assertThat(key.status()).isEqualTo(404);
    assertThat(key.error()).isEqualTo("the key has no value");
  }

  @Test
  void hostileNamesAndBytesComeAsTheyAre() throws IOException {
    String name = "</script><img src=x onerror=alert(1)>\"&\u202e\ud83c\udf4f";
    byte[] key = utf8("<b>\u0000\"'&");
    store.createDatabase(name, DatabaseOptions.DEFAULT).put(key, key);

    JsonNode databases = Http.json(address, "/api/databases").get("databases");
    assertThat(databases).extracting(each -> each.get("name").asText()).contains(name);
    JsonNode entry =
        Http.json(address, "/api/entries?database=" + Http.encoded(name)).get("entries").get(0);
    assertThat(entry.get("key").asText()).isEqualTo(Json.hex(key));
    assertThat(entry.get("value").asText()).isEqualTo(Json.hex(key));
    assertThat(Http.json(address, "/api/forest?database=" + Http.encoded(name)).get("database"))
        .hasToString("\"" + name.replace("\"", "\\\"") + "\"");
  }

  @Test
  void databasesComeInPages() throws IOException {
    List<String> names = new ArrayList<>(List.of("default"));
    for (int i = 0; i < 5; i++) {
      names.add("database " + i);
      var unused = store.createDatabase("database " + i, DatabaseOptions.DEFAULT);
    }
    names.sort(null);
    List<String> seen = new ArrayList<>();
    boolean more = true;
    while (more) {
      String after = seen.isEmpty() ? "" : "&after=" + Http.encoded(seen.get(seen.size() - 1));
      JsonNode page = Http.json(address, "/api/databases?limit=4" + after);
      assertThat(page.get("count").asInt()).isEqualTo(6);
      page.get("databases").forEach(each -> seen.add(each.get("name").asText()));
      more = page.get("more").asBoolean();
    }
    assertThat(seen).isEqualTo(names);
  }

  @Test
  void entriesAreEstimatedAndTheForestIsTold() throws IOException {
    for (int i = 0; i < 1000; i++) {
      store.database().put(utf8("key %04d".formatted(i)), new byte[100]);
    }
    store.flush();
    JsonNode database = Http.json(address, "/api/databases").get("databases").get(0);
    assertThat(database.get("entries").asLong()).isBetween(900L, 1100L);
    assertThat(database.get("ssts").asInt()).isEqualTo(1);
    JsonNode forest = Http.json(address, "/api/forest");
    assertThat(forest.get("bytes").asLong()).isEqualTo(database.get("fileBytes").asLong());
    JsonNode block = forest.at("/stages/0/shown/0/blocks/0");
    assertThat(block.get("entries").asInt()).isEqualTo(1000);
    assertThat(block.get("first").asText()).isEqualTo(Json.hex(utf8("key 0000")));
    assertThat(block.get("last").asText()).isEqualTo(Json.hex(utf8("key 0999")));
  }

  @Test
  void numbersOfTheStoreAreThoseOfItsStatistics() throws IOException {
    store.database().put(utf8("key"), utf8("value"));
    JsonNode told = Http.json(address, "/api/store");
    assertThat(told.at("/statistics/lastSequence").asLong()).isEqualTo(1);
    assertThat(told.at("/statistics/userBytes").asLong()).isEqualTo(8);
    assertThat(told.get("readOnly").asBoolean()).isFalse();
    JsonNode metrics = Http.json(address, "/api/metrics").get("metrics");
    assertThat(metrics.findValuesAsText("name")).contains("lastSequence", "putMicros");
  }

  @Test
  void theLogIsMeasuredInTheDirectory(@TempDir Path directory) throws IOException {
    try (Store onDisk = Store.open(directory);
        StoreWindow into = StoreWindow.builder(onDisk).open()) {
      onDisk.database().put(utf8("key"), utf8("value"));
      JsonNode log = Http.json(into.address(), "/api/store").get("log");
      assertThat(log.get("segments").asInt()).isPositive();
      assertThat(log.get("bytes").asLong()).isPositive();
    }
  }

  @Test
  void backupsAreListedTheLastFirst(@TempDir Path directory) throws IOException {
    Backups backups = Backups.in(directory);
    backups.create(store);
    store.database().put(utf8("key"), utf8("value"));
    backups.create(store);
    try (StoreWindow into = StoreWindow.builder(store).backups(backups).open()) {
      JsonNode list = Http.json(into.address(), "/api/backups");
      assertThat(list.get("points"))
          .extracting(each -> each.get("number").asInt())
          .containsExactly(2, 1);
      assertThat(list.at("/points/0/databases").asInt()).isEqualTo(1);
    }
    Backups none = Backups.in(directory.resolve("nothing"));
    try (StoreWindow into = StoreWindow.builder(store).backups(none).open()) {
      JsonNode list = Http.json(into.address(), "/api/backups");
      assertThat(list.get("count").asInt()).isZero();
      assertThat(list.get("problem").asText()).contains("nothing");
    }
  }

  @Test
  void damageIsToldByTheAnswerAndWithoutAStackTrace(@TempDir Path directory) throws IOException {
    try (Store writer = Store.open(directory)) {
      for (int i = 0; i < 2000; i++) {
        writer.database().put(utf8("key %04d".formatted(i)), new byte[100]);
      }
      writer.flush();
    }
    damage(directory);
    StoreEvents events = new StoreEvents();
    try (Store damaged = Store.builder(directory).listener(events).open();
        StoreWindow into = StoreWindow.builder(damaged).events(events).open()) {
      JsonNode page = Http.json(into.address(), "/api/entries?limit=200&from=" + "6b6579");
      JsonNode last = Http.json(into.address(), "/api/entries?end=true");
      assertThat(page.toString() + last).contains(".sst is damaged");
      Http.Response value =
          Http.get(into.address(), "/api/value?key=" + Json.hex(utf8("key 1000")));
      assertThat(value.status()).isIn(200, 500);
      assertThat(value.toString()).doesNotContain("Exception").doesNotContain("at io.sifr");
    }
  }

  /** Changes a byte in each block of all SSTs. */
  static void damage(Path directory) throws IOException {
    List<Path> ssts;
    try (var files = Files.list(directory)) {
      ssts = files.filter(file -> file.toString().endsWith(".sst")).toList();
    }
    for (Path sst : ssts) {
      byte[] bytes = Files.readAllBytes(sst);
      for (int at = 4096 + 2000; at < bytes.length / 2; at += 4096) {
        bytes[at] ^= 1;
      }
      Files.write(sst, bytes);
    }
  }

  @Test
  void anUnexpectedFailureIsToldWithoutItsText() throws IOException {
    Views broken =
        new Views() {
          @Override
          public View acquire() {
            throw new UnsupportedOperationException("secret");
          }

          @Override
          public boolean areRefreshed() {
            return false;
          }

          @Override
          public void close() {}
        };
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/", new Requests(new HostNames(null, List.of()), new Answers(broken, null, null)));
    server.start();
    try {
      URI at = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
      Http.Response response = Http.get(at, "/api/store");
      assertThat(response.status()).isEqualTo(500);
      assertThat(response.toString()).doesNotContain("secret").doesNotContain("at io.sifr");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aClosedStoreIsSaidToBeClosed() throws IOException {
    store.close();
    for (String question : List.of("store", "databases", "forest", "entries", "value?key=00")) {
      Http.Response response = Http.get(address, "/api/" + question);
      assertThat(response.status()).as(question).isEqualTo(503);
      assertThat(response.error()).isEqualTo("the store is closed");
    }
    assertThat(Http.get(address, "/").status()).isEqualTo(200);
    assertThatIllegalStateException().isThrownBy(() -> StoreWindow.builder(store).open());
  }

  @Test
  void aDroppedDatabaseIsNotFound() throws IOException {
    var unused = store.createDatabase("fruit", DatabaseOptions.DEFAULT);
    assertThat(Http.get(address, "/api/entries?database=fruit").status()).isEqualTo(200);
    store.dropDatabase("fruit");
    assertThat(Http.get(address, "/api/entries?database=fruit").status()).isEqualTo(404);
  }

  /** Requests, writes, creates and drops at the same time, and then the close of the store. */
  @Test
  void whileTheStoreIsClosedEachRequestIsAnswered() throws Exception {
    AtomicBoolean isClosed = new AtomicBoolean();
    AtomicBoolean isEnd = new AtomicBoolean();
    CountDownLatch running = new CountDownLatch(6);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<?>> all = new ArrayList<>();
      for (String question :
          List.of(
              "store",
              "databases",
              "forest",
              "entries?limit=200",
              "entries?database=fruit",
              "value?key=6b")) {
        all.add(
            threads.submit(
                () -> {
                  running.countDown();
                  boolean mustBeClosed;
                  do {
                    mustBeClosed = isClosed.get();
                    Http.Response response = Http.get(address, "/api/" + question);
                    assertThat(response.status())
                        .as("%s: %s", question, response)
                        .isIn(mustBeClosed ? List.of(503) : List.of(200, 404, 503));
                  } while (!isEnd.get() || !mustBeClosed);
                  return null;
                }));
      }
      all.add(
          threads.submit(
              () -> {
                for (int i = 0; !isClosed.get(); i++) {
                  try {
                    store.database().put(utf8("k" + i % 100), new byte[100]);
                    if (i % 50 == 0) {
                      store.openOrCreateDatabase("fruit").put(utf8("k"), utf8("v"));
                      store.dropDatabase("fruit");
                    }
                  } catch (IllegalStateException e) {
                    return null; // closed
                  }
                }
                return null;
              }));
      running.await();
      for (int i = 0; i < 20; i++) {
        assertThat(Http.get(address, "/api/databases").status()).isEqualTo(200);
      }
      store.close();
      isClosed.set(true);
      isEnd.set(true);
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      isClosed.set(true);
      isEnd.set(true);
      threads.shutdownNow();
    }
  }

  /** Connects, asks for much and receives nothing; its small buffers are full at once. */
  private static Socket slow(URI window, String path) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(1024);
    socket.connect(new InetSocketAddress(window.getHost(), window.getPort()));
    Http.begin(socket.getOutputStream(), "GET", path, "Host: localhost");
    return socket;
  }

  private void putLargeEntries() {
    for (int i = 0; i < 200; i++) {
      byte[] key = new byte[20_000];
      key[0] = (byte) i;
      store.database().put(key, new byte[10]);
    }
  }

  /** More slow receivers than requests that may read the store at the same time. */
  @Test
  void whoReceivesSlowlyHoldsNothing() throws Exception {
    Requests requests =
        new Requests(
            new HostNames(null, List.of()), new Answers(new Views.OfStore(store), null, null));
    int count = 2 * Requests.MOST_AT_ONCE;
    CountDownLatch sending = new CountDownLatch(count);
    CountDownLatch end = new CountDownLatch(1);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      for (int i = 0; i < count; i++) {
        var unused =
            threads.submit(
                () -> {
                  requests.handle(new SlowExchange("/api/entries", sending, end));
                  return null;
                });
      }
      assertThat(sending.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(requests.freeTurns()).isEqualTo(Requests.MOST_AT_ONCE);
      store.close();
    } finally {
      end.countDown();
      threads.shutdownNow();
    }
  }

  @Test
  void aDatabaseThatIsDroppedMeanwhileIsNotFoundAlsoIfThereIsAnother() {
    var unused = store.createDatabase("fruit", DatabaseOptions.DEFAULT);
    Parameters named = new Parameters("database=fruit", Set.of("database"));
    assertThatThrownBy(
            () ->
                Answers.ofDatabase(
                    store,
                    named,
                    database -> {
                      store.dropDatabase("fruit");
                      store.openOrCreateDatabase("fruit").put(new byte[1], new byte[1]);
                      return database.get(new byte[1]);
                    }))
        .isInstanceOf(RefusedException.class)
        .hasMessage("the database was dropped");
  }

  /** All threads wait for a request that does not end, or for somebody who receives nothing. */
  @Test
  void whoIsTooSlowIsCutOff() throws IOException {
    putLargeEntries();
    List<Socket> slow = new ArrayList<>();
    try (StoreWindow quick = StoreWindow.builder(store).mostTime(Duration.ofMillis(300)).open()) {
      for (int i = 0; i < RequestThreads.MOST; i++) {
        Socket socket = new Socket(quick.address().getHost(), quick.address().getPort());
        slow.add(socket);
        socket.getOutputStream().write(utf8("GET / HTTP/1.1\r\nHo"));
        slow.add(slow(quick.address(), "/api/entries?limit=200"));
      }
      assertThat(isAnswered(quick.address())).isTrue();
      slow.get(0).setSoTimeout(20_000);
      assertThat(endOf(slow.get(0))).isTrue();
    } finally {
      for (Socket each : slow) {
        each.close();
      }
    }
  }

  /** On a machine that is busy this one may be cut off itself, and then is sent again. */
  private static boolean isAnswered(URI window) throws IOException {
    while (true) {
      try {
        return Http.get(window, "/api/databases").status() == 200;
      } catch (SocketTimeoutException e) {
        throw e;
      } catch (IOException e) {
        assertThat(e).hasMessageMatching("no answer: .*|.*(reset|Broken pipe).*");
      }
    }
  }

  private static boolean endOf(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true; // reset
    }
  }

  @Test
  void closingTheWindowDoesNotWaitForSlowClients() throws IOException {
    try (Socket half = new Socket(address.getHost(), address.getPort())) {
      OutputStream out = half.getOutputStream();
      out.write(utf8("GET / HTTP/1.1\r\n"));
      out.flush();
      assertThat(Http.get(address, "/").status()).isEqualTo(200);
      window.close();
      window.close();
      assertThat(endOf(half)).isTrue();
    }
    store.database().put(utf8("still"), utf8("open"));
    assertThatThrownBy(() -> Http.get(address, "/")).isInstanceOf(IOException.class);
  }

  @Test
  void aPortThatIsTakenIsNamed() {
    assertThatThrownBy(() -> StoreWindow.builder(store).port(address.getPort()).open())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageStartingWith("cannot listen at ")
        .hasMessageContaining(":" + address.getPort());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StoreWindow.builder(store).port(65_536))
        .withMessage("port 65536; allowed: 0 to 65535");
  }

  @Test
  void aServerOfTheProgramCanHaveIt() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/store", StoreWindow.builder(store).handler());
    server
        .createContext("/login", StoreWindow.builder(store).handler())
        .setAuthenticator(
            new BasicAuthenticator("store") {
              @Override
              public boolean checkCredentials(String name, String password) {
                return name.equals("me") && password.equals("secret");
              }
            });
    server.start();
    try {
      URI at = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
      Http.Response moved = Http.get(at, "/store");
      assertThat(moved.status()).isEqualTo(308);
      assertThat(moved.headers()).containsEntry("location", "/store/");
      assertThat(Http.get(at, "/store/").headers())
          .containsEntry("content-type", "text/html; charset=utf-8");
      assertThat(Http.get(at, "/store/window.js").status()).isEqualTo(200);
      assertThat(Http.json(at, "/store/api/databases").get("count").asInt()).isEqualTo(1);
      assertThat(Http.get(at, "/storeroom/").status()).isEqualTo(404);
      assertThat(Http.get(at, "/login/").status()).isEqualTo(401);
      assertThat(
              Http.send(
                      at, "GET", "/login/", "Host: localhost", "Authorization: Basic bWU6c2VjcmV0")
                  .status())
          .isEqualTo(200);
      assertThat(Http.send(at, "GET", "/store/", "Host: evil.example").status()).isEqualTo(403);
    } finally {
      server.stop(0);
    }
  }
}
