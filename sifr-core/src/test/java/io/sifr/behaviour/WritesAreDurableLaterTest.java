package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.error.ReadOnlyStoreException;
import io.sifr.error.StoreFailedException;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.Futures;
import io.sifr.testing.HeldForces;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes whose callers do not wait until they are durable. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WritesAreDurableLaterTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int MANY = 10_000;
  private static final StoreOptions OPTIONS = StoreOptions.DEFAULT;

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);
  private final FaultyFileSystem files = new FaultyFileSystem(disk.fileSystem());
  private final HeldForces held = new HeldForces(files);

  private Store open() {
    return TestStores.open(DIRECTORY, OPTIONS, files);
  }

  private static CompletableFuture<Void> put(Database database, int number) {
    return database.putAsync(key(number), value(number, 1), WriteOptions.SYNC);
  }

  private static void assertFailed(
      CompletableFuture<?> future, Class<? extends Throwable> expected) {
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(future::join)
        .havingCause()
        .isInstanceOf(expected);
  }

  /** What power failures leave of those from 0 on. */
  private void assertDurable(int writes) {
    for (int seed = 0; seed < 10; seed++) {
      try (Store left =
          TestStores.open(DIRECTORY, OPTIONS, disk.crash(new Random(seed)).fileSystem())) {
        assertThat(SmallStores.content(left.database()))
            .as("seed %d", seed)
            .containsAllEntriesOf(SmallStores.filled(0, writes, 1));
      }
    }
  }

  @Test
  void theyAreSeenAtOnceAndInTheOrderOfTheCalls() {
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, held)) {
      Database database = store.database();
      CompletableFuture<Void> first = put(database, 0);
      assertThat(database.get(key(0))).isEqualTo(value(0, 1));
      held.begun().acquireUninterruptibly();
      CompletableFuture<Void> second = database.putAsync(key(1), bytes("older"), WriteOptions.SYNC);
      CompletableFuture<Void> third =
          store.writeAsync(
              new WriteBatch().put(database, key(1), value(1, 1)).delete(database, key(9)),
              WriteOptions.SYNC);
      database.put(key(2), value(2, 1), WriteOptions.BUFFERED);
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 3, 1));
      assertThat(List.of(first, second, third)).noneMatch(CompletableFuture::isDone);
      List<String> completed = new CopyOnWriteArrayList<>();
      Futures.andThen(third, () -> completed.add("third"));
      Futures.andThen(first, () -> completed.add("first"));
      Futures.andThen(second, () -> completed.add("second"));
      held.mayGoOn().release(); // the sync of the first, which began before the others came
      Futures.await(first);
      held.begun().acquireUninterruptibly();
      assertThat(List.of(second, third)).noneMatch(CompletableFuture::isDone);
      held.mayGoOn().release(1000);
      Futures.await(third);
      Waiting.until("all stages have run", () -> completed.size() == 3);
      assertThat(completed).containsExactly("first", "second", "third");
      assertDurable(2);
    }
  }

  /** One sync serves all that came during the one before. */
  @Test
  void oneThreadHasThousandsInFlightAndNeedsFewSyncs() {
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, held)) {
      List<CompletableFuture<Void>> futures = new ArrayList<>();
      futures.add(put(store.database(), 0));
      held.begun().acquireUninterruptibly();
      long before = files.calls(Operation.FORCE);
      for (int i = 1; i < MANY; i++) {
        futures.add(put(store.database(), i));
      }
      assertThat(futures).noneMatch(CompletableFuture::isDone);
      held.mayGoOn().release(MANY);
      futures.forEach(Futures::await);
      // Of each sync one for each segment, of which a store that is new has some.
      assertThat(files.calls(Operation.FORCE) - before).isBetween(2L, 40L);
      assertDurable(MANY);
    }
  }

  @Test
  void whatNeedsNoSyncIsCompleteAtOnce() {
    StoreOptions options = StoreOptions.builder().durability(Durability.BUFFERED).build();
    try (Store store = TestStores.open(DIRECTORY, options, held)) {
      Database database = store.database();
      WriteBatch batch = new WriteBatch().put(database, key(3), value(3, 1));
      assertThat(database.putAsync(key(0), value(0, 1), WriteOptions.BUFFERED)).isCompleted();
      assertThat(database.putAsync(key(1), value(1, 1), WriteOptions.UNLOGGED)).isCompleted();
      assertThat(database.putAsync(key(2), value(2, 1), WriteOptions.DEFAULT)).isCompleted();
      assertThat(store.writeAsync(batch, WriteOptions.DEFAULT)).isCompleted();
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 4, 1));
      assertThat(held.begun().availablePermits()).isZero();
      held.mayGoOn().release(1000);
    }
  }

  @Test
  void theDurabilityMayBeThatOfTheStore() {
    StoreOptions options = StoreOptions.builder().durability(Durability.SYNC).build();
    try (Store store = TestStores.open(DIRECTORY, options, held)) {
      CompletableFuture<Void> put =
          store.database().putAsync(key(0), value(0, 1), WriteOptions.DEFAULT);
      CompletableFuture<Void> expiring =
          store
              .database()
              .putAsync(key(1), value(1, 1), WriteOptions.expiringAfter(Duration.ofDays(1)));
      held.begun().acquireUninterruptibly();
      assertThat(put).isNotDone();
      assertThat(expiring).isNotDone();
      held.mayGoOn().release(1000);
      Futures.await(put);
      Futures.await(expiring);
      assertDurable(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSyncThatFailsCompletesAllExceptionally(LogAccess logAccess) {
    Operation sync = logAccess == LogAccess.MAPPED ? Operation.FORCE : Operation.SYNC;
    StoreOptions options = StoreOptions.builder().logAccess(logAccess).build();
    try (Store store = TestStores.open(DIRECTORY, options, files)) {
      Futures.await(put(store.database(), 0));
      files.failForGood(sync, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
      List<CompletableFuture<Void>> futures = new ArrayList<>();
      for (int i = 1; i < 100; i++) {
        futures.add(put(store.database(), i));
      }
      futures.forEach(future -> assertFailed(future, StoreFailedException.class));
      assertFailed(put(store.database(), 100), StoreFailedException.class);
      assertThatThrownBy(() -> store.database().put(key(101), value(101, 1)))
          .isInstanceOf(StoreFailedException.class);
      files.heal();
    }
    assertDurable(1);
  }

  @Test
  void wrongArgumentsAreRefusedByTheCall() {
    try (Store store = open()) {
      Database database = store.database();
      byte[] none = SmallStores.nothing();
      WriteOptions noOptions = SmallStores.nothing();
      WriteBatch noBatch = SmallStores.nothing();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> database.putAsync(none, key(0), WriteOptions.SYNC));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> database.putAsync(key(0), none, WriteOptions.SYNC));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> database.putAsync(new byte[65537], key(0), WriteOptions.SYNC));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> database.putAsync(key(0), key(0), noOptions));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.writeAsync(noBatch, WriteOptions.SYNC));
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  store.writeAsync(
                      new WriteBatch(), WriteOptions.expiringAfter(Duration.ofDays(1))));
      assertThat(SmallStores.content(database)).isEmpty();
    }
  }

  @Test
  void otherFailuresCompleteTheFuture() {
    Store store = open();
    Database database = store.database();
    Database dropped = store.createDatabase("dropped", DatabaseOptions.DEFAULT);
    Futures.await(put(database, 0));
    WriteBatch conditional =
        new WriteBatch().requireAbsent(database, key(0)).put(database, key(1), value(1, 1));
    assertFailed(store.writeAsync(conditional, WriteOptions.SYNC), ConflictException.class);
    store.dropDatabase("dropped");
    assertFailed(put(dropped, 0), IllegalStateException.class);
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 1, 1));
    try (Store reader = TestStores.openReadOnly(DIRECTORY, OPTIONS, files)) {
      assertFailed(put(reader.database(), 1), ReadOnlyStoreException.class);
    }
    store.close();
    assertFailed(put(database, 1), IllegalStateException.class);
    assertThatIllegalStateException()
        .isThrownBy(() -> Futures.await(put(database, 1)))
        .withMessage("the store is closed");
  }

  @Test
  void batchesAndBuffersMayBeChangedAfterwards() {
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, held)) {
      Database database = store.database();
      byte[] key = key(0);
      byte[] value = value(0, 1);
      ByteBuf buffer = Unpooled.copiedBuffer(value(1, 1));
      WriteBatch batch = new WriteBatch().put(database, key(2), value(2, 1));
      List<CompletableFuture<Void>> futures =
          List.of(
              database.putAsync(key, value, WriteOptions.SYNC),
              database
                  .byteBufs()
                  .putAsync(Unpooled.wrappedBuffer(key(1)), buffer, WriteOptions.SYNC),
              store.writeAsync(batch, WriteOptions.SYNC));
      key[0]++;
      value[0]++;
      buffer.setByte(0, 0);
      batch.clear();
      held.mayGoOn().release(1000);
      futures.forEach(Futures::await);
      assertDurable(3);
    }
  }

  /** As a program says that has no other word for a sync. */
  @Test
  void anEmptyBatchIsCompleteWhenAllBeforeItIsDurable() {
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, held)) {
      Futures.await(store.writeAsync(new WriteBatch(), WriteOptions.SYNC));
      store.database().put(key(0), value(0, 1), WriteOptions.BUFFERED);
      CompletableFuture<Void> future = store.writeAsync(new WriteBatch(), WriteOptions.SYNC);
      assertThat(future).isNotDone();
      held.mayGoOn().release(1000);
      Futures.await(future);
      assertDurable(1);
    }
  }

  @Test
  void closingTheStoreCompletesThem() throws Exception {
    LeakCountingFileSystem counting = new LeakCountingFileSystem(held);
    Store store = TestStores.open(DIRECTORY, OPTIONS, counting);
    List<CompletableFuture<Void>> futures = new ArrayList<>();
    futures.add(put(store.database(), 0));
    held.begun().acquireUninterruptibly();
    for (int i = 1; i < 100; i++) {
      futures.add(put(store.database(), i));
    }
    CompletableFuture<Void> closed = CompletableFuture.runAsync(store::close);
    Waiting.until("it is being closed", () -> isRefused(store.database()));
    assertThat(futures).noneMatch(CompletableFuture::isDone);
    held.mayGoOn().release(1000);
    closed.get();
    assertThat(futures).allMatch(future -> future.isDone() && !future.isCompletedExceptionally());
    counting.assertNothingOpen();
    assertDurable(100);
  }

  private static boolean isRefused(Database database) {
    CompletableFuture<Void> put =
        database.putAsync(bytes("other"), bytes("value"), WriteOptions.BUFFERED);
    return put.isCompletedExceptionally();
  }

  /** What is attached to a future may do anything but wait for another one. */
  @Test
  void aStageMayWriteAndCloseTheStore() {
    LeakCountingFileSystem counting = new LeakCountingFileSystem(held);
    Store store = TestStores.open(DIRECTORY, OPTIONS, counting);
    Database database = store.database();
    CompletableFuture<Void> chain =
        put(database, 0)
            .thenCompose(done -> put(database, 1))
            .thenRun(() -> database.put(key(2), value(2, 1), WriteOptions.SYNC))
            .thenCompose(done -> put(database, 3));
    held.mayGoOn().release(MANY);
    Futures.await(chain);

    held.begun().drainPermits();
    held.mayGoOn().drainPermits();
    AtomicReference<Thread> closer = new AtomicReference<>();
    CompletableFuture<Void> first = put(database, 4);
    held.begun().acquireUninterruptibly();
    CompletableFuture<Void> closing =
        first.thenRun(
            () -> {
              closer.set(Thread.currentThread());
              store.close();
            });
    CompletableFuture<Void> second = put(database, 5);
    held.mayGoOn().release(MANY);
    Futures.await(closing);
    assertThat(second).isCompleted();
    assertThat(closer.get()).isNotEqualTo(Thread.currentThread());
    assertThatIllegalStateException().isThrownBy(() -> database.get(key(0)));
    counting.assertNothingOpen();
    assertDurable(6);
  }

  @Test
  void anInterruptOrACancelTakesNothingBack() {
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, held)) {
      Thread.currentThread().interrupt();
      CompletableFuture<Void> interrupted = put(store.database(), 0);
      assertThat(Thread.interrupted()).as("it stays interrupted").isTrue();
      CompletableFuture<Void> cancelled = put(store.database(), 1);
      assertThat(cancelled.cancel(true)).isTrue();
      CompletableFuture<Void> last = put(store.database(), 2);
      held.mayGoOn().release(1000);
      Futures.await(interrupted);
      Futures.await(last);
      assertThat(cancelled).isCancelled();
      assertDurable(3);
    }
  }

  @Test
  void largeValuesAreDurableWithThem() {
    try (Store store = open()) {
      Database database =
          store.createDatabase(
              "large", DatabaseOptions.builder().separateValuesFrom(1 << 10).build());
      byte[] value = new byte[300_000];
      new Random(1).nextBytes(value);
      Futures.await(database.putAsync(key(0), value, WriteOptions.SYNC));
      for (int seed = 0; seed < 10; seed++) {
        try (Store left =
            TestStores.open(DIRECTORY, OPTIONS, disk.crash(new Random(seed)).fileSystem())) {
          assertThat(left.database("large").get(key(0))).isEqualTo(value);
        }
      }
    }
  }

  /** Small buffers, so that they wait for flushes, and the log goes on to other segments. */
  @Test
  void severalThreadsWriteWhileBuffersAreFlushed() throws Exception {
    int threads = 3;
    int writes = 1500;
    try (Store store = TestStores.open(DIRECTORY, SmallStores.options().build(), files)) {
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int first = thread;
        writers.add(
            CompletableFuture.runAsync(
                () -> {
                  List<CompletableFuture<Void>> futures = new ArrayList<>();
                  for (int i = first; i < writes; i += threads) {
                    futures.add(put(store.database(), i));
                  }
                  futures.forEach(Futures::await);
                }));
      }
      CompletableFuture.allOf(writers.toArray(new CompletableFuture<?>[0])).get();
      assertDurable(writes);
    }
  }
}
