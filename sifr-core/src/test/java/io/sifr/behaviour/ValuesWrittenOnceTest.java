package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Backups;
import io.sifr.Changes;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.Transaction;
import io.sifr.WriteBatch;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ChangesGoneException;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.event.Change;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.Directories;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.ForwardingFileSystem.ForwardingRandomReadFile;
import io.sifr.testing.LeakCountingFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Large values are written to value files when they are put, and to nothing else. */
class ValuesWrittenOnceTest {
  private static final int LARGE = 10_000;
  private static final Tuning TUNING = Tuning.DEFAULT.withWriteValuesOnceFrom(LARGE);

  @TempDir Path parent;
  private Path directory = Path.of("");

  @BeforeEach
  void chooseDirectory() {
    directory = parent.resolve("store");
  }

  private Store open() {
    return open(StoreOptions.DEFAULT);
  }

  private Store open(StoreOptions options) {
    return TestStores.open(directory, options, TUNING, new DiskFileSystem());
  }

  private static Database apart(Store store) {
    return store.openOrCreateDatabase(
        "apart", DatabaseOptions.builder().separateValuesFrom(100).build());
  }

  private static byte[] key(int number) {
    return ("key " + number).getBytes(UTF_8);
  }

  private static byte[] value(int seed, int length) {
    byte[] value = new byte[length];
    new Random(seed).nextBytes(value);
    return value;
  }

  private static long valueFiles(Path store) {
    try (Stream<Path> all = Files.list(store)) {
      return all.filter(file -> file.toString().endsWith(".values")).count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A write that waits for a sync would have to wait for two. */
  private static int least(Durability durability) {
    return durability == Durability.SYNC ? 4 * LARGE : LARGE;
  }

  private static WriteBatch batchOf(Database database, byte[] key, byte[] value) {
    WriteBatch batch = new WriteBatch();
    batch.put(database, key, value);
    return batch;
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void aShorterOneIsWrittenByTheFlush(Durability durability) {
    WriteOptions options = WriteOptions.of(durability);
    byte[] shorter = value(1, least(durability) - 1);
    try (Store store = open()) {
      Database database = apart(store);
      database.put(key(1), shorter, options);
      store.write(batchOf(database, key(2), shorter), options);
      assertThat(valueFiles(directory)).isZero();
      store.flush();
      assertThat(valueFiles(directory)).isEqualTo(1);
      store.write(batchOf(database, key(3), value(1, least(durability))), options);
      assertThat(valueFiles(directory)).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void theLogHasReferences(Durability durability) {
    WriteOptions options = WriteOptions.builder().durability(durability).build();
    int least = least(durability);
    try (Store store = open()) {
      Database database = apart(store);
      for (int i = 0; i < 50; i++) {
        database.put(key(i), value(i, least + i), options);
        assertThat(database.get(key(i))).isEqualTo(value(i, least + i));
      }
      assertThat(store.statistics().get(Metric.LOG_BYTES)).isLessThan(50 * 200);
      assertThat(valueFiles(directory)).isEqualTo(1);
      store.flush();
      assertThat(valueFiles(directory)).isEqualTo(1);
      requireAll(database, least);
    }
    try (Store store = open()) {
      requireAll(apart(store), least);
    }
  }

  private static void requireAll(Database database, int least) {
    for (int i = 0; i < 50; i++) {
      assertThat(database.get(key(i))).isEqualTo(value(i, least + i));
    }
    int next = 0;
    try (Cursor cursor = database.cursor()) {
      while (cursor.next()) {
        assertThat(cursor.valueLength())
            .isEqualTo(cursor.value().length)
            .isGreaterThanOrEqualTo(least);
        next++;
      }
    }
    assertThat(next).isEqualTo(50);
  }

  @Test
  void filesAreDeletedWhenNothingRefersToThem() {
    try (Store store = open(StoreOptions.builder().keptLogBytes(0).build())) {
      Database database = apart(store);
      for (int i = 0; i < 20; i++) {
        database.put(key(i), value(i, LARGE));
      }
      store.flush();
      for (int i = 0; i < 20; i++) {
        database.delete(key(i));
      }
      store.flush();
      database.compact();
      store.awaitIdle();
    }
    assertThat(valueFiles(directory)).isZero();
  }

  @Test
  void whatIsOverwrittenInMemoryIsDeletedWithItsFlush() {
    try (Store store = open(StoreOptions.builder().keptLogBytes(0).build())) {
      Database database = apart(store);
      for (int i = 0; i < 20; i++) {
        database.put(key(1), value(i, LARGE));
      }
      database.delete(key(1));
      assertThat(valueFiles(directory)).isEqualTo(1);
      store.flush();
      store.awaitIdle();
    }
    assertThat(valueFiles(directory)).isZero();
  }

  /** It is garbage as soon as an SST refers to the rest of the file, and is given back. */
  @Test
  void whatWasOverwrittenInMemoryCountsAsGarbageAfterTheFlush() {
    int keys = 40;
    int versions = 6;
    StoreOptions options = SmallStores.options().writeBufferBytes(1 << 20).build();
    try (Store store = open(options)) {
      Database database =
          store.createDatabase(
              "apart",
              DatabaseOptions.builder()
                  .separateValuesFrom(100)
                  .compression(Compression.NONE)
                  .build());
      store.pauseCompactions();
      for (int version = 0; version < versions; version++) {
        for (int i = 0; i < keys; i++) {
          database.put(key(i), value(version * keys + i, LARGE));
        }
      }
      StoreStatistics before = store.statistics();
      assertThat(before.get(Metric.FLUSHES)).isZero(); // less than eight times the buffer
      assertThat(before.get(Metric.VALUE_GARBAGE_BYTES)).isZero();
      store.flush();
      StoreStatistics flushed = store.statistics();
      long live = (long) keys * LARGE;
      assertThat(flushed.get(Metric.VALUE_FILE_BYTES))
          .isBetween(versions * live, versions * live * 11 / 10);
      assertThat(flushed.get(Metric.VALUE_GARBAGE_BYTES))
          .isBetween((versions - 1) * live, (versions - 1) * live * 11 / 10);
      store.resumeCompactions();
      store.awaitIdle();
      StoreStatistics idle = store.statistics();
      assertThat(idle.get(Metric.VALUE_FILE_BYTES)).isLessThan(live * 16 / 10);
      assertThat(idle.get(Metric.VALUE_GARBAGE_BYTES)).isLessThan(live * 6 / 10);
      for (int i = 0; i < keys; i++) {
        assertThat(database.get(key(i))).isEqualTo(value((versions - 1) * keys + i, LARGE));
      }
    }
  }

  @Test
  void aDroppedDatabaseLeavesNone() {
    try (Store store = open()) {
      Database database = apart(store);
      database.put(key(1), value(1, LARGE));
      store.flush();
      database.put(key(2), value(2, LARGE));
      store.dropDatabase("apart");
      store.awaitIdle();
    }
    assertThat(valueFiles(directory)).isZero();
  }

  @Test
  void batchesAndTransactionsAreWhole() {
    try (Store store = open()) {
      Database database = apart(store);
      Database other = store.database();
      WriteBatch batch = new WriteBatch();
      batch.put(database, key(1), value(1, LARGE)).put(other, key(1), value(2, LARGE));
      batch.delete(database, key(3)).put(database, key(2), value(3, LARGE + 1));
      store.write(batch);
      try (Transaction transaction = store.beginTransaction()) {
        transaction.put(database, key(4), value(4, LARGE));
        assertThat(transaction.get(database, key(4))).isEqualTo(value(4, LARGE));
        assertThat(database.get(key(4))).isNull();
        transaction.commit();
      }
      assertThat(database.compareAndSet(key(4), value(4, LARGE), value(5, LARGE))).isTrue();
      assertThat(database.compareAndSet(key(4), value(4, LARGE), value(6, LARGE))).isFalse();
      assertThat(database.getAndPut(key(1), value(7, LARGE))).isEqualTo(value(1, LARGE));
    }
    for (int round = 0; round < 2; round++) {
      try (Store store = open()) {
        Database database = apart(store);
        assertThat(database.get(key(1))).isEqualTo(value(7, LARGE));
        assertThat(database.get(key(2))).isEqualTo(value(3, LARGE + 1));
        assertThat(database.get(key(4))).isEqualTo(value(5, LARGE));
        assertThat(store.database().get(key(1))).isEqualTo(value(2, LARGE));
      }
    }
  }

  @Test
  void aLackOfDescriptorsStopsNothing() {
    FaultyFileSystem files = new FaultyFileSystem(new DiskFileSystem());
    WriteOptions sync = WriteOptions.of(Durability.SYNC);
    try (Store store = TestStores.open(directory, StoreOptions.DEFAULT, TUNING, files)) {
      Database database = apart(store);
      database.put(key(0), value(0, 10), sync); // opens the log
      files.failOnce(Operation.SYNC_DIRECTORY, FaultyFileSystem.ANY_PATH, 1, Fault.EMFILE);
      assertThatThrownBy(() -> database.put(key(1), value(1, 4 * LARGE), sync))
          .isInstanceOf(FileNotOpenedException.class);
      database.put(key(2), value(2, 4 * LARGE), sync);
      store.flush();
      store.awaitIdle();
      assertThat(database.get(key(1))).isEqualTo(value(1, 4 * LARGE));
    }
    try (Store store = open()) {
      assertThat(apart(store).get(key(2))).isEqualTo(value(2, 4 * LARGE));
    }
  }

  @Test
  void aNameThatWasNotSyncedForLackOfOneIsSyncedLater() {
    Path store = Path.of("/store");
    WriteOptions sync = WriteOptions.of(Durability.SYNC);
    CrashDisk disk = CrashDisk.with(store);
    FaultyFileSystem files = new FaultyFileSystem(disk.fileSystem());
    Store open = TestStores.open(store, StoreOptions.DEFAULT, TUNING, files);
    Database database = apart(open);
    database.put(key(0), value(0, 10), sync); // opens the log
    files.failOnce(Operation.SYNC_DIRECTORY, FaultyFileSystem.ANY_PATH, 1, Fault.EMFILE);
    assertThatThrownBy(() -> database.put(key(1), value(1, 4 * LARGE), sync))
        .isInstanceOf(FileNotOpenedException.class);
    database.put(key(2), value(2, 10), sync); // after the other in the log
    for (int seed = 0; seed < 20; seed++) {
      CrashDisk crashed = disk.crash(new Random(seed));
      try (Store again =
          TestStores.open(store, StoreOptions.DEFAULT, TUNING, crashed.fileSystem())) {
        assertThat(apart(again).get(key(2))).as("seed %d", seed).isEqualTo(value(2, 10));
        assertThat(apart(again).get(key(1))).as("seed %d", seed).isEqualTo(value(1, 4 * LARGE));
      }
    }
    open.close();
  }

  @Test
  void whatCannotBeMadeDurableLeavesNothingOpen() {
    FaultyFileSystem files = new FaultyFileSystem(new DiskFileSystem());
    LeakCountingFileSystem counted = new LeakCountingFileSystem(files);
    Store store = TestStores.open(directory, StoreOptions.DEFAULT, TUNING, counted);
    Database database = apart(store);
    database.put(key(1), value(1, LARGE));
    files.failForGood(Operation.SYNC_DIRECTORY, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
    assertThatThrownBy(store::flush).isInstanceOf(SifrException.class);
    assertThatThrownBy(store::close).isInstanceOf(SifrException.class);
    counted.assertNothingOpen();
  }

  /**
   * It is no record, nor looks like a part of one, once a power failure has left some of its pages:
   * that must not happen when nothing looks for it any more.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatARefusedPutHasWrittenIsDurableBeforeItsFileIsTakenForComplete(boolean isFlushed) {
    Path store = Path.of("/store");
    CrashDisk disk = CrashDisk.with(store);
    FaultyFileSystem files = new FaultyFileSystem(disk.fileSystem());
    try (Store open = TestStores.open(store, StoreOptions.DEFAULT, TUNING, files)) {
      Database database = apart(open);
      database.put(key(1), value(1, 4 * LARGE), WriteOptions.SYNC);
      files.failOnce(Operation.WRITE, path -> path.toString().endsWith(".values"), 1, Fault.ENOSPC);
      assertThatThrownBy(() -> database.put(key(2), value(2, 4 * LARGE), WriteOptions.SYNC))
          .isInstanceOf(StoreFullException.class);
      if (isFlushed) {
        open.flush();
      }
    }
    for (int seed = 0; seed < 20; seed++) {
      StoreFileSystem crashed = disk.crash(new Random(seed)).fileSystem();
      try (Store again = TestStores.open(store, StoreOptions.DEFAULT, TUNING, crashed)) {
        assertThat(apart(again).get(key(1))).as("seed %d", seed).isEqualTo(value(1, 4 * LARGE));
      }
      assertThat(TestChecks.run(crashed, store).findings()).as("seed %d", seed).isEmpty();
    }
  }

  /** Others would wait for the file: each read of one waits here for a write of another thread. */
  @Test
  void whatDependsOnOneReadsNoFileUnderTheLock() {
    Queue<Runnable> whenRead = new ConcurrentLinkedQueue<>();
    ForwardingFileSystem files =
        new ForwardingFileSystem(new DiskFileSystem()) {
          @Override
          public RandomReadFile openForRead(Path file) {
            RandomReadFile opened = super.openForRead(file);
            return file.toString().endsWith(".values") ? new Told(opened, whenRead) : opened;
          }
        };
    try (Store store = TestStores.open(directory, StoreOptions.DEFAULT, TUNING, files)) {
      Database database = apart(store);
      database.put(key(1), value(1, LARGE));
      whenRead.add(() -> database.put(key(1), value(2, LARGE)));
      whenRead.add(() -> database.put(key(9), value(3, 10)));
      assertThat(database.getAndPut(key(1), value(4, LARGE))).isEqualTo(value(2, LARGE));
      assertThat(whenRead).isEmpty();

      whenRead.add(() -> database.put(key(1), value(5, LARGE)));
      whenRead.add(() -> database.put(key(9), value(6, 10)));
      assertThat(database.compareAndSet(key(1), value(4, LARGE), value(7, LARGE))).isFalse();
      assertThat(whenRead).isEmpty();

      // So often that it reads one under the lock after all.
      for (int i = 0; i < 5; i++) {
        byte[] value = value(10 + i, LARGE);
        whenRead.add(() -> database.put(key(1), value));
      }
      assertThat(database.getAndDelete(key(1))).isEqualTo(value(14, LARGE));
      assertThat(database.contains(key(1))).isFalse();
    }
  }

  /** Has another thread do the next thing when something is read, and waits for it. */
  private static final class Told extends ForwardingRandomReadFile {
    private final Queue<Runnable> whenRead;

    Told(RandomReadFile file, Queue<Runnable> whenRead) {
      super(file);
      this.whenRead = whenRead;
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      Runnable next = target.remaining() >= LARGE ? whenRead.poll() : null;
      if (next != null) {
        CompletableFuture.runAsync(next).orTimeout(20, TimeUnit.SECONDS).join();
      }
      super.readFully(target, position);
    }
  }

  @Test
  void operandsAreMergedOverThem() {
    try (Store store = open()) {
      Database database =
          store.createDatabase(
              "merged",
              DatabaseOptions.builder()
                  .separateValuesFrom(100)
                  .mergeOperator(MergeOperators.APPEND.name())
                  .build());
      database.put(key(1), value(1, LARGE));
      database.merge(key(1), new byte[] {1, 2, 3});
      for (int round = 0; round < 2; round++) {
        byte[] found = database.get(key(1));
        assertThat(found).hasSize(LARGE + 3).startsWith(value(1, LARGE)).endsWith(1, 2, 3);
        store.flush();
      }
    }
  }

  @Test
  void aCopyHoldsThemWhileTheyAreWritten() {
    Path copy = parent.resolve("copy");
    try (Store store = open()) {
      Database database = apart(store);
      for (int i = 0; i < 50; i++) {
        database.put(key(i), value(i, LARGE + i));
        if (i == 25) {
          database.put(key(0), value(0, LARGE));
        }
      }
      store.checkpoint(copy);
      database.put(key(1), value(100, LARGE));
    }
    directory = copy;
    try (Store store = open()) {
      requireAll(apart(store), LARGE);
    }
  }

  /** A file that was read first when it had one value: what follows is part of it, too. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void copiesHaveWhatWasAddedToAFileAfterItWasRead(boolean links) {
    Path copy = parent.resolve("copy");
    Path backups = parent.resolve("backups");
    Path restored = parent.resolve("restored");
    ForwardingFileSystem files =
        new ForwardingFileSystem(new DiskFileSystem()) {
          @Override
          public boolean link(Path file, Path second) {
            return links && super.link(file, second);
          }
        };
    try (Store store = TestStores.open(directory, StoreOptions.DEFAULT, TUNING, files)) {
      Database database = apart(store);
      database.put(key(0), value(0, LARGE));
      assertThat(database.get(key(0))).isEqualTo(value(0, LARGE));
      for (int i = 1; i < 50; i++) {
        database.put(key(i), value(i, LARGE + i));
      }
      store.flush();
      store.checkpoint(copy);
      Backups.in(backups).create(store);
      requireAll(database, LARGE);
    }
    Backups.in(backups).restore(Backups.in(backups).numbers().get(0), restored);
    for (Path each : List.of(copy, restored)) {
      directory = each;
      try (Store store = open()) {
        requireAll(apart(store), LARGE);
      }
    }
  }

  @Test
  void aReaderOfOneMomentFindsThemInTheLog() {
    try (Store store = open()) {
      Database database = apart(store);
      for (int i = 0; i < 50; i++) {
        database.put(key(i), value(i, LARGE + i));
      }
      try (Store reader = Store.builder(directory).openReadOnly()) {
        database.put(key(1), value(100, LARGE));
        store.flush();
        database.deleteRange(KeyRange.all());
        store.flush();
        database.compact();
        requireAll(apart(reader), LARGE);
      }
    }
  }

  @Test
  void aCursorKeepsTheValuesThatItSees() {
    try (Store store = open()) {
      Database database = apart(store);
      database.put(key(1), value(1, LARGE), WriteOptions.expiringAfter(Duration.ofHours(1)));
      database.put(key(2), value(2, LARGE));
      try (Cursor cursor = database.cursor()) {
        assertThat(cursor.next()).isTrue();
        database.delete(key(1));
        database.delete(key(2));
        store.flush();
        database.compact();
        assertThat(cursor.value()).isEqualTo(value(1, LARGE));
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.value()).isEqualTo(value(2, LARGE));
      }
    }
  }

  @Test
  void aKilledProcessLosesNone() throws IOException {
    Path killed = parent.resolve("killed");
    try (Store store = open()) {
      Database database = apart(store);
      for (int i = 0; i < 50; i++) {
        database.put(key(i), value(i, LARGE + i));
      }
      Directories.copy(directory, killed);
    }
    directory = killed;
    for (int round = 0; round < 2; round++) {
      try (Store store = open()) {
        requireAll(apart(store), LARGE);
      }
    }
    assertThat(TestChecks.run(new DiskFileSystem(), killed).findings()).isEmpty();
  }

  @Test
  void aFullFileIsThereAsLongAsMemoryRefersToIt() {
    try (Store store = open()) {
      Database database = apart(store);
      byte[] value = value(1, 35 << 20);
      for (int i = 0; i < 2; i++) {
        database.put(key(i), value);
      }
      store.sync(); // closes the file, which is full
      assertThat(database.get(key(0))).isEqualTo(value);
      assertThat(database.get(key(1))).isEqualTo(value);
    }
  }

  /** What is in it is durable: the log must not take a close for a sync that has failed. */
  @Test
  void aFullFileThatCannotBeClosedStopsNothing() {
    FaultyFileSystem files = new FaultyFileSystem(new DiskFileSystem());
    Store store = TestStores.open(directory, StoreOptions.DEFAULT, TUNING, files);
    Database database = apart(store);
    byte[] value = value(1, 35 << 20);
    for (int i = 0; i < 2; i++) {
      database.put(key(i), value);
    }
    files.failOnce(Operation.CLOSE, path -> path.toString().endsWith(".values"), 1, Fault.EIO);
    store.sync();
    database.put(key(2), value(2, LARGE), WriteOptions.SYNC);
    store.close();
    try (Store again = open()) {
      assertThat(apart(again).get(key(1))).isEqualTo(value);
      assertThat(apart(again).get(key(2))).isEqualTo(value(2, LARGE));
    }
  }

  @Test
  void changesHaveTheValues() {
    StoreOptions retaining = StoreOptions.builder().retainedLogBytes(16 << 20).build();
    for (StoreOptions options : List.of(StoreOptions.DEFAULT, retaining)) {
      try (Store store = open(options)) {
        Database database = apart(store);
        long first = store.lastSequence() + 1;
        database.put(key(1), value(1, LARGE));
        try (Changes changes = store.changes(first)) {
          assertThat(changes.next())
              .isInstanceOfSatisfying(
                  Change.Write.class,
                  write -> {
                    Change.Operation put = write.operations().get(0);
                    assertThat(put.kind()).isEqualTo(Change.Kind.PUT);
                    assertThat(put.value()).isEqualTo(value(1, LARGE));
                  });
        }
      }
    }
  }

  /** The log is not retained, and its value is in a file that is deleted. */
  @Test
  void aReaderOfChangesIsToldThatAValueIsGone() {
    try (Store store = open(StoreOptions.builder().keptLogBytes(0).build())) {
      Database database = apart(store);
      database.put(key(1), value(1, LARGE));
      try (Changes changes = store.changes(store.lastSequence())) {
        database.delete(key(1));
        store.flush();
        store.awaitIdle();
        assertThat(valueFiles(directory)).isZero();
        assertThatThrownBy(changes::next).isInstanceOf(ChangesGoneException.class);
      }
      database.put(key(1), value(2, LARGE));
      try (Changes changes = store.changes(store.lastSequence())) {
        assertThat(changes.next())
            .isInstanceOfSatisfying(
                Change.Write.class,
                write -> assertThat(write.operations().get(0).value()).isEqualTo(value(2, LARGE)));
      }
    }
  }

  /** A recovery with little memory flushes what it has read before it has come to the end. */
  @Test
  void aFlushWithinARecoveryKeepsWhatTheRestOfTheLogRefersTo() throws IOException {
    Path killed = parent.resolve("killed");
    try (Store store = open()) {
      Database database = apart(store);
      database.put(key(1), value(1, LARGE));
      database.put(key(1), value(2, 10)); // so no SST refers to the file
      for (int i = 0; i < 3000; i++) {
        database.put(key(1000 + i), value(i, 90));
      }
      database.put(key(2), value(3, LARGE)); // to the same file
      assertThat(valueFiles(directory)).isEqualTo(1);
      Directories.copy(directory, killed);
    }
    directory = killed;
    try (Store store = open(StoreOptions.builder().writeBufferBytes(64 << 10).build())) {
      assertThat(apart(store).get(key(1))).isEqualTo(value(2, 10));
      assertThat(apart(store).get(key(2))).isEqualTo(value(3, LARGE));
    }
  }
}
