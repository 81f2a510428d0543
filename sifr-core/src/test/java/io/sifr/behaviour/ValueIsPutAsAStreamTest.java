package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.netty.buffer.Unpooled;
import io.sifr.Changes;
import io.sifr.Database;
import io.sifr.ReadOptions;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.ValueReader;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.StoreFullException;
import io.sifr.event.Change;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.Directories;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.Waiting;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A value comes from a stream, as long as that may take. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ValueIsPutAsAStreamTest {
  private static final int ONCE_FROM = 10_000;

  /** Shorter values are read before they are written. */
  private static final int STREAMED_FROM = 16 * ONCE_FROM;

  private static final int LARGE = 1_500_007;
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final byte[] OTHER = "other".getBytes(UTF_8);

  @TempDir Path parent;
  private Path directory = Path.of("");

  @BeforeEach
  void chooseDirectory() {
    directory = parent.resolve("store");
  }

  private Store open() {
    return open(new DiskFileSystem());
  }

  private Store open(StoreFileSystem files) {
    StoreOptions options = StoreOptions.builder().keptLogBytes(0).build();
    return TestStores.open(
        directory, options, Tuning.DEFAULT.withWriteValuesOnceFrom(ONCE_FROM), files);
  }

  private static Database apart(Store store) {
    return store.openOrCreateDatabase(
        "apart", DatabaseOptions.builder().separateValuesFrom(100).build());
  }

  private static byte[] value(int seed, int length) {
    byte[] value = new byte[length];
    new Random(seed).nextBytes(value);
    for (int i = length / 3; i < length / 2; i++) {
      value[i] = 'x';
    }
    return value;
  }

  private static long valueFiles(Path store) {
    try (Stream<Path> all = Files.list(store)) {
      return all.filter(file -> file.toString().endsWith(".values")).count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** What happens in a stream when so many bytes were read. */
  private interface Event {
    void happen() throws IOException;
  }

  /** Gives some bytes at a time, and has something happen in between. */
  private static final class Slow extends InputStream {
    private final byte[] content;
    private final int eventAt;
    private final Event event;
    private final Random random = new Random(1);
    private int next;
    private boolean hasHappened;
    private boolean isClosed;

    Slow(byte[] content) {
      this(content, Integer.MAX_VALUE, () -> {});
    }

    Slow(byte[] content, int eventAt, Event event) {
      this.content = content;
      this.eventAt = eventAt;
      this.event = event;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
      if (next >= eventAt && !hasHappened) {
        hasHappened = true;
        event.happen();
      }
      int end = next < eventAt ? Math.min(eventAt, content.length) : content.length;
      int length = Math.min(Math.min(count, end - next), 1 + random.nextInt(30_000));
      if (length == 0) {
        return -1;
      }
      System.arraycopy(content, next, target, offset, length);
      next += length;
      return length;
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  private static void put(Database database, byte[] key, byte[] value) throws IOException {
    database.put(key, value.length, new Slow(value), WriteOptions.DEFAULT);
  }

  /** Has another thread do something, and waits until it is done. */
  private static void elsewhere(Runnable action) {
    CompletableFuture.runAsync(action).join();
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void valuesOfAnyLengthArePut(Durability durability) throws IOException {
    int[] lengths = {
      0, 1, 99, 100, ONCE_FROM, STREAMED_FROM - 1, STREAMED_FROM, STREAMED_FROM + 1, LARGE, 1 << 20
    };
    WriteOptions options = WriteOptions.builder().durability(durability).build();
    try (Store store = open()) {
      for (Compression compression : Compression.values()) {
        DatabaseOptions drawn =
            DatabaseOptions.builder().separateValuesFrom(100).compression(compression).build();
        Database database = store.createDatabase(compression.name(), drawn);
        for (int length : lengths) {
          Slow stream = new Slow(value(length, length + 3));
          database.put(("" + length).getBytes(UTF_8), length, stream, options);
          assertThat(stream.next).isEqualTo(length);
          assertThat(stream.isClosed).isFalse();
        }
        requireAll(database, lengths);
        store.flush();
        requireAll(database, lengths);
      }
    }
    try (Store store = open()) {
      for (Compression compression : Compression.values()) {
        requireAll(store.database(compression.name()), lengths);
      }
    }
    assertThat(TestChecks.run(new DiskFileSystem(), directory).findings()).isEmpty();
  }

  private static void requireAll(Database database, int[] lengths) {
    for (int length : lengths) {
      byte[] expected = Arrays.copyOf(value(length, length + 3), length);
      assertThat(database.get(("" + length).getBytes(UTF_8))).isEqualTo(expected);
    }
  }

  @Test
  void onesThatAreNotApartAreReadFirst() throws IOException {
    try (Store store = open()) {
      Database database =
          store.createDatabase("beside", DatabaseOptions.builder().separateValuesFrom(0).build());
      put(database, KEY, value(1, LARGE));
      assertThat(valueFiles(directory)).isZero();
      assertThat(database.get(KEY)).isEqualTo(value(1, LARGE));
    }
  }

  @Test
  void changesHaveTheWholeValue() throws IOException {
    StoreOptions retaining = StoreOptions.builder().retainedLogBytes(64 << 20).build();
    try (Store store = Store.open(directory, retaining)) {
      Database database = apart(store);
      long first = store.lastSequence() + 1;
      byte[] value = value(1, 5 << 20);
      put(database, KEY, value);
      try (Changes changes = store.changes(first)) {
        assertThat(changes.next())
            .isInstanceOfSatisfying(
                Change.Write.class,
                write -> assertThat(write.operations().get(0).value()).isEqualTo(value));
      }
    }
  }

  @Test
  void buffersAreKeys() throws IOException {
    try (Store store = open()) {
      Database database = apart(store);
      byte[] value = value(1, LARGE);
      database
          .byteBufs()
          .put(Unpooled.wrappedBuffer(KEY), LARGE, new Slow(value), WriteOptions.DEFAULT);
      database
          .byteBuffers()
          .put(ByteBuffer.wrap(OTHER), LARGE, new Slow(value), WriteOptions.expiringAfter(day()));
      assertThat(database.get(KEY)).isEqualTo(value);
      assertThat(database.get(OTHER)).isEqualTo(value);
    }
  }

  private static Duration day() {
    return Duration.ofDays(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {ONCE_FROM, LARGE})
  void aStreamThatEndsEarlyPutsNothing(int length) throws IOException {
    try (Store store = open()) {
      Database database = apart(store);
      database.put(KEY, value(1, 10));
      assertThatThrownBy(
              () ->
                  database.put(
                      KEY,
                      length,
                      new ByteArrayInputStream(value(1, length - 1)),
                      WriteOptions.DEFAULT))
          .isInstanceOf(EOFException.class)
          .hasMessage(
              "the stream ended after %d bytes; the value was to have %d", length - 1, length);
      requireNothingWasPut(store, database);
    }
  }

  /** The key has its old value, the space is free, and the store goes on. */
  private void requireNothingWasPut(Store store, Database database) throws IOException {
    assertThat(database.get(KEY)).isEqualTo(value(1, 10));
    assertThat(valueFiles(directory)).isZero();
    put(database, OTHER, value(2, LARGE));
    store.flush();
    assertThat(database.get(OTHER)).isEqualTo(value(2, LARGE));
    assertThat(database.get(KEY)).isEqualTo(value(1, 10));
  }

  @ParameterizedTest
  @ValueSource(ints = {ONCE_FROM, LARGE})
  void whatAStreamThrowsReachesTheCaller(int length) throws IOException {
    try (Store store = open()) {
      Database database = apart(store);
      database.put(KEY, value(1, 10));
      IOException broken = new IOException("broken pipe");
      Slow failing =
          new Slow(
              value(1, length),
              length - 5,
              () -> {
                throw broken;
              });
      assertThatThrownBy(() -> database.put(KEY, length, failing, WriteOptions.DEFAULT))
          .isSameAs(broken);
      IllegalMonitorStateException own = new IllegalMonitorStateException();
      Slow throwing =
          new Slow(
              value(1, length),
              length / 2,
              () -> {
                throw own;
              });
      assertThatThrownBy(() -> database.put(KEY, length, throwing, WriteOptions.DEFAULT))
          .isSameAs(own);
      requireNothingWasPut(store, database);
    }
  }

  @Test
  void nobodyWaitsForAStream() throws IOException {
    Path copy = parent.resolve("copy");
    try (Store store = open()) {
      Database database = apart(store);
      Slow stream =
          new Slow(
              value(1, LARGE),
              LARGE / 2,
              () ->
                  elsewhere(
                      () -> {
                        database.put(OTHER, value(2, LARGE), WriteOptions.of(Durability.SYNC));
                        database.put(KEY, value(3, 10));
                        store.flush();
                        database.compact();
                        store.sync();
                        store.checkpoint(copy);
                        store.awaitIdle();
                        assertThat(database.get(KEY)).isEqualTo(value(3, 10));
                      }));
      database.put(KEY, LARGE, stream, WriteOptions.DEFAULT);
      assertThat(database.get(KEY)).isEqualTo(value(1, LARGE));
      assertThat(database.get(OTHER)).isEqualTo(value(2, LARGE));
    }
    directory = copy;
    try (Store store = open()) {
      assertThat(apart(store).get(KEY)).isEqualTo(value(3, 10));
      assertThat(apart(store).get(OTHER)).isEqualTo(value(2, LARGE));
    }
    assertThat(TestChecks.run(new DiskFileSystem(), copy).findings()).isEmpty();
  }

  /** Else the copy would have to begin again, and might do so for as long as streams are put. */
  @Test
  void oneThatEndsWhileTheStoreIsCopiedWaitsForTheMomentOfTheCopy() throws Exception {
    Path copy = parent.resolve("copy");
    CountDownLatch isFlushing = new CountDownLatch(1);
    CountDownLatch isEnding = new CountDownLatch(1);
    CountDownLatch mayFlush = new CountDownLatch(1);
    ForwardingFileSystem files =
        new ForwardingFileSystem(new DiskFileSystem()) {
          @Override
          public AppendFile create(Path file) {
            if (file.toString().endsWith(".sst")) {
              isFlushing.countDown();
              Uninterruptibles.awaitUninterruptibly(mayFlush);
            }
            return super.create(file);
          }
        };
    try (Store store = open(files)) {
      Database database = apart(store);
      database.put(OTHER, value(2, 9)); // opens the log
      database.put(OTHER, value(2, 10), WriteOptions.of(Durability.NONE)); // has to be flushed
      Thread copying = new Thread(() -> store.checkpoint(copy));
      Slow stream =
          new Slow(
              value(1, LARGE),
              LARGE - 1,
              () -> {
                copying.start();
                Uninterruptibles.awaitUninterruptibly(isFlushing);
                isEnding.countDown();
              });
      FutureTask<@Nullable Void> put =
          new FutureTask<>(
              () -> {
                database.put(KEY, LARGE, stream, WriteOptions.DEFAULT);
                return null;
              });
      Thread putting = new Thread(put);
      putting.start();
      isEnding.await();
      try {
        Waiting.until("it waits", () -> putting.getState() == Thread.State.WAITING || put.isDone());
        assertThat(put.isDone()).isFalse();
        assertThat(database.contains(KEY)).isFalse();
      } finally {
        mayFlush.countDown();
      }
      put.get();
      copying.join();
      assertThat(database.get(KEY)).isEqualTo(value(1, LARGE));
    }
    directory = copy;
    try (Store store = open()) {
      assertThat(apart(store).get(OTHER)).isEqualTo(value(2, 10));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {ONCE_FROM, LARGE})
  void aCloseEndsIt(int length) throws IOException {
    Store store = open();
    Database database = apart(store);
    database.put(KEY, value(1, 10));
    Slow stream = new Slow(value(2, length), length / 2, () -> elsewhere(store::close));
    assertThatIllegalStateException()
        .isThrownBy(() -> database.put(KEY, length, stream, WriteOptions.DEFAULT))
        .withMessage("the store is closed");
    assertThat(valueFiles(directory)).isZero();
    try (Store again = open()) {
      requireNothingWasPut(again, apart(again));
    }
  }

  /** After that there is nothing that could notice it but the write itself. */
  @Test
  void aCloseBeforeTheLastBytesEndsIt() throws IOException {
    Store store = open();
    Database database = apart(store);
    Slow stream = new Slow(value(2, LARGE), LARGE - 1, () -> elsewhere(store::close));
    assertThatIllegalStateException()
        .isThrownBy(() -> database.put(KEY, LARGE, stream, WriteOptions.DEFAULT))
        .withMessage("the store is closed");
    assertThat(valueFiles(directory)).isZero();
    try (Store again = open()) {
      assertThat(apart(again).get(KEY)).isNull();
    }
  }

  @Test
  void aDropEndsIt() throws IOException {
    try (Store store = open()) {
      Database database = apart(store);
      Slow stream =
          new Slow(value(2, LARGE), LARGE / 2, () -> elsewhere(() -> store.dropDatabase("apart")));
      assertThatIllegalStateException()
          .isThrownBy(() -> database.put(KEY, LARGE, stream, WriteOptions.DEFAULT))
          .withMessageContaining("dropped");
      assertThat(valueFiles(directory)).isZero();
      store.database().put(KEY, value(1, 10));
      store.flush();
      requireNothingWasPut(store, store.database());
    }
  }

  @Test
  void aDropBeforeTheLastBytesLeavesNoFile() throws IOException {
    try (Store store = open()) {
      Database database = apart(store);
      Slow stream =
          new Slow(value(2, LARGE), LARGE - 1, () -> elsewhere(() -> store.dropDatabase("apart")));
      assertThatIllegalStateException()
          .isThrownBy(() -> database.put(KEY, LARGE, stream, WriteOptions.DEFAULT))
          .withMessageContaining("dropped");
      assertThat(valueFiles(directory)).isZero();
    }
  }

  @Test
  void anInterruptedThreadPuts() throws IOException {
    try (Store store = open()) {
      Database database = apart(store);
      Thread.currentThread().interrupt();
      put(database, KEY, value(1, LARGE));
      assertThat(Thread.interrupted()).isTrue();
      assertThat(database.get(KEY)).isEqualTo(value(1, LARGE));
    }
  }

  @Test
  void theStreamMayReadTheStore() throws IOException {
    byte[] value = value(1, LARGE);
    try (Store store = open()) {
      Database database = apart(store);
      put(database, KEY, value);
      for (byte[] key : new byte[][] {OTHER, KEY}) {
        for (int round = 0; round < 2; round++) {
          try (ValueReader reader =
              Objects.requireNonNull(database.valueReader(KEY, ReadOptions.DEFAULT))) {
            database.put(key, reader.length(), reader.stream(), WriteOptions.DEFAULT);
          }
          assertThat(database.get(key)).isEqualTo(value);
          store.flush();
        }
      }
    }
  }

  @Test
  void aFullDiskFreesTheSpace() throws IOException {
    FaultyFileSystem files = new FaultyFileSystem(new DiskFileSystem());
    try (Store store = open(files)) {
      Database database = apart(store);
      database.put(KEY, value(1, 10));
      files.failOnce(Operation.WRITE, path -> path.toString().endsWith(".values"), 3, Fault.ENOSPC);
      assertThatThrownBy(() -> put(database, KEY, value(2, LARGE)))
          .isInstanceOf(StoreFullException.class);
      files.heal();
      requireNothingWasPut(store, database);
    }
  }

  @Test
  void aKilledProcessLeavesNothingOfIt() throws IOException {
    Path killed = parent.resolve("killed");
    try (Store store = open()) {
      Database database = apart(store);
      database.put(KEY, value(1, 10));
      Slow stream = new Slow(value(2, LARGE), LARGE - 1, () -> Directories.copy(directory, killed));
      database.put(KEY, LARGE, stream, WriteOptions.DEFAULT);
    }
    directory = killed;
    try (Store store = open()) {
      requireNothingWasPut(store, apart(store));
    }
    assertThat(TestChecks.run(new DiskFileSystem(), killed).findings()).isEmpty();
  }

  @Test
  void wrongArgumentsAreRefused() throws IOException {
    try (Store store = open()) {
      Database database = apart(store);
      InputStream stream = new ByteArrayInputStream(new byte[10]);
      WriteOptions options = WriteOptions.DEFAULT;
      assertThatIllegalArgumentException()
          .isThrownBy(() -> database.put(KEY, -1, stream, options))
          .withMessage("value has -1 bytes; allowed: up to 536870912");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> database.put(KEY, (512L << 20) + 1, stream, options))
          .withMessage("value has 536870913 bytes; allowed: up to 536870912");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> database.put(KEY, 1L << 32, stream, options));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> database.put(new byte[65537], 1, stream, options));
      assertThat(stream.available()).isEqualTo(10);
      store.close();
      assertThatIllegalStateException().isThrownBy(() -> database.put(KEY, 1, stream, options));
    }
  }
}
