package io.sifr.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Backups;
import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.services.s3.S3Client;

/** Points of stores, on a server that speaks HTTP, to which requests fail. */
@Tag("host")
class S3BackupsTest {
  private static final int POINTS = 20;
  private static final int KEYS = 500;
  private static final byte[] COUNT = {0};

  @TempDir Path directory;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final Faults faults = new Faults();
  private S3Server server;
  private S3Client client;

  @BeforeEach
  void start() throws Exception {
    server = new S3Server();
    client = server.client(faults, 1);
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.close();
  }

  /** Has one request fail: before it is sent, while its content is, or when it was answered. */
  private static final class Faults implements ExecutionInterceptor {
    private enum Kind {
      UNSENT,
      BROKEN_OFF,
      UNANSWERED
    }

    static final int KINDS = Kind.values().length;

    private @Nullable Kind kind;
    private int after;
    private int requests;

    synchronized void failOnce(int kindOf, int requestsBefore) {
      kind = List.of(Kind.values()).get(kindOf);
      after = requestsBefore;
    }

    /** Returns whether none was to fail, or one has. */
    synchronized boolean heal() {
      boolean hasFailed = kind == null;
      kind = null;
      return hasFailed;
    }

    synchronized int requests() {
      return requests;
    }

    private synchronized boolean isDue(Kind asked) {
      boolean isDue = kind == asked && after <= 0;
      if (isDue) {
        kind = null;
      }
      return isDue;
    }

    @Override
    public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes unused) {
      String path = context.httpRequest().encodedPath();
      boolean isEndOfClaim =
          context.httpRequest().method() == SdkHttpMethod.DELETE && path.contains("/claims/");
      synchronized (this) {
        requests++;
        if (isEndOfClaim) { // others wait half an hour for one that is left
          return;
        }
        after--;
      }
      if (isDue(Kind.UNSENT)) {
        throw SdkClientException.create("drawn: not sent");
      }
    }

    @Override
    public Optional<RequestBody> modifyHttpContent(
        Context.ModifyHttpRequest context, ExecutionAttributes unused) {
      Optional<RequestBody> body = context.requestBody();
      if (body.isEmpty() || !isDue(Kind.BROKEN_OFF)) {
        return body;
      }
      long bytes = body.get().optionalContentLength().orElseThrow();
      return Optional.of(
          RequestBody.fromContentProvider(
              () -> breaking(body.get().contentStreamProvider().newStream(), bytes / 2),
              bytes,
              body.get().contentType()));
    }

    private static InputStream breaking(InputStream in, long after) {
      return new FilterInputStream(in) {
        private long left = after;

        @Override
        public int read() throws IOException {
          byte[] one = new byte[1];
          return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
          if (left == 0) {
            throw new IOException("drawn: broken off");
          }
          int count = in.read(target, offset, (int) Math.min(left, length));
          left -= Math.max(0, count);
          return count;
        }
      };
    }

    @Override
    public void afterTransmission(Context.AfterTransmission context, ExecutionAttributes unused) {
      boolean isEndOfClaim =
          context.httpRequest().method() == SdkHttpMethod.DELETE
              && context.httpRequest().encodedPath().contains("/claims/");
      if (!isEndOfClaim && isDue(Kind.UNANSWERED)) {
        throw SdkClientException.create("drawn: not answered");
      }
    }
  }

  private Backups backups() {
    return Backups.in(S3Storage.of(client, S3Server.BUCKET, "backups/"));
  }

  private static Store open(Path directory) {
    return Store.open(
        directory,
        StoreOptions.builder()
            .writeBufferBytes(32 << 10)
            .splitUnitBytes(16 << 10)
            .logSegmentBytes(16 << 10)
            .build());
  }

  private static byte[] key(int operation) {
    return String.format("key%05d", operation * 31 % KEYS).getBytes(UTF_8);
  }

  private static byte[] value(int operation) {
    return ("value of " + operation + " ").repeat(6).getBytes(UTF_8);
  }

  /** Numbers of operations that were acknowledged, and begun; the store holds one for each key. */
  private static void write(
      Store store, AtomicInteger begun, AtomicInteger acknowledged, AtomicBoolean stopped) {
    while (!stopped.get()) {
      int operation = begun.incrementAndGet();
      store.inTransaction(
          transaction -> {
            transaction.put(store.database(), key(operation), value(operation));
            transaction.put(
                store.database(), COUNT, ByteBuffer.allocate(4).putInt(operation).array());
            return null;
          });
      acknowledged.set(operation);
    }
  }

  private static Map<String, String> stateAfter(int operations) {
    Map<String, String> state = new TreeMap<>();
    for (int operation = 1; operation <= operations; operation++) {
      state.put(new String(key(operation), UTF_8), new String(value(operation), UTF_8));
    }
    return state;
  }

  private void assertExact(long number, int least, int most) {
    Path target = directory.resolve("restored-" + number);
    backups().restore(number, target);
    assertThat(StoreCheck.run(target, CheckProgress.NONE).findings()).isEmpty();
    Map<String, String> content = new TreeMap<>();
    int count = 0;
    try (Store store = open(target);
        Cursor cursor = store.database().cursor()) {
      while (cursor.next()) {
        if (Arrays.equals(cursor.key(), COUNT)) {
          count = ByteBuffer.wrap(cursor.value()).getInt();
        } else {
          content.put(new String(cursor.key(), UTF_8), new String(cursor.value(), UTF_8));
        }
      }
    }
    assertThat(count).isBetween(least, most);
    assertThat(content).isEqualTo(stateAfter(count));
  }

  private List<String> keys() {
    List<String> keys = new ArrayList<>();
    client
        .listObjectsV2Paginator(list -> list.bucket(S3Server.BUCKET))
        .contents()
        .forEach(object -> keys.add(object.key()));
    return keys;
  }

  @Test
  void pointsOfAStoreUnderLoadOfWhichHalfAreInterrupted() throws InterruptedException {
    System.out.println("seed " + seed);
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger acknowledged = new AtomicInteger();
    AtomicBoolean stopped = new AtomicBoolean();
    Map<Long, int[]> made = new TreeMap<>();
    int interrupted = 0;
    int requests = 30;
    try (Store store = open(directory.resolve("store"))) {
      Thread writer = new Thread(() -> write(store, begun, acknowledged, stopped));
      writer.start();
      while (made.size() < POINTS || interrupted < POINTS) {
        boolean interrupts = random.nextBoolean();
        if (interrupts) {
          faults.failOnce(random.nextInt(Faults.KINDS), random.nextInt(requests));
        }
        int before = faults.requests();
        int least = acknowledged.get();
        try {
          long number = backups().create(store).number();
          made.put(number, new int[] {least, begun.get()});
          requests = faults.requests() - before;
        } catch (SifrException e) {
          assertThat(interrupts).as("%s", e).isTrue();
          interrupted++;
        }
        faults.heal();
      }
      stopped.set(true);
      writer.join();
    }
    assertThat(backups().numbers()).containsExactlyElementsOf(made.keySet());
    made.forEach((number, counts) -> assertExact(number, counts[0], counts[1]));
    backups().deleteUnfinished();
    for (long number : made.keySet()) {
      backups().delete(number);
    }
    // The server lists uploads that broke off until it has noticed, with a UUID behind their key.
    assertThat(keys())
        .filteredOn(key -> !key.matches("backups/numbers/.*|.*-[0-9a-f]{8}(-[0-9a-f]{4}){3}-.*"))
        .containsExactly("backups/BACKUP");
  }

  @Test
  void aStoreInMemoryIsBackedUp() {
    try (Store store = Store.inMemory().open()) {
      store.database().put(key(1), value(1));
      backups().create(store);
      store.database().put(key(1), value(2));
      assertThat(backups().create(store).number()).isEqualTo(2);
    }
    assertThat(backups().list()).extracting(Backups.Point::number).containsExactly(1L, 2L);
    backups().verify(1, Backups.Progress.NONE);
    backups().restore(1, directory.resolve("restored"));
    try (Store store = Store.open(directory.resolve("restored"))) {
      assertThat(store.database().get(key(1))).isEqualTo(value(1));
    }
  }
}
