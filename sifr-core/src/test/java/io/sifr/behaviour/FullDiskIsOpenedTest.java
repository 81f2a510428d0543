package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.Durability;
import io.sifr.config.IngestFiles;
import io.sifr.config.IngestOptions;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.wal.WalReplay;
import io.sifr.internal.wal.WalSegmentReader;
import io.sifr.internal.wal.WalWriter;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.FrozenDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A store on a full disk is opened, and gives back what it only keeps before anything fails. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FullDiskIsOpenedTest {
  private static final Path DIRECTORY = Path.of("/store");

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);

  /** Nothing is flushed by itself. */
  private static StoreOptions.Builder unflushed() {
    return SmallStores.options().writeBufferBytes(1 << 20).maxLogBytes(1 << 30);
  }

  private static Store open(CrashDisk on, StoreOptions options) {
    return TestStores.open(DIRECTORY, options, on.fileSystem());
  }

  /**
   * What a killed process leaves on a disk without any space. Not the next segment of the log if it
   * was just being filled: the opening would delete that, and have space.
   */
  private static CrashDisk killedAndFull(CrashDisk on) {
    CrashDisk left = on.kill();
    StoreFileSystem files = left.fileSystem();
    for (String name : files.list(DIRECTORY)) {
      if (WalWriter.isUnfinishedSegment(name)) {
        files.delete(DIRECTORY.resolve(name));
      }
    }
    left.setCapacity(left.usedBytes());
    return left;
  }

  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void whatIsOnlyInTheLogIsReadWithoutSpace(LogAccess access) {
    StoreOptions options = unflushed().logAccess(access).build();
    CrashDisk full;
    try (Store store = open(disk, options)) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      Database second = store.openOrCreateDatabase("second");
      SmallStores.fill(second, 0, 100, 2);
      full = killedAndFull(disk);
    }
    // With buffers so small that the log fills several of them.
    StoreOptions small = SmallStores.options().writeBufferBytes(8 << 10).logAccess(access).build();
    Map<String, String> expected = new TreeMap<>(SmallStores.filled(0, 1000, 1));
    for (int opening = 0; opening < 3; opening++) {
      try (Store store = open(full, small)) {
        assertThat(SmallStores.content(store.database())).isEqualTo(expected);
        assertThat(SmallStores.content(store.database("second")))
            .isEqualTo(SmallStores.filled(0, 100, 2));
        store.database().delete(key(opening));
        expected.keySet().removeAll(SmallStores.filled(opening, opening + 1, 1).keySet());
        assertThatThrownBy(store::flush).isInstanceOf(StoreFullException.class);
        assertThat(SmallStores.content(store.database())).isEqualTo(expected);
      }
      full = killedAndFull(full);
    }
    full.setCapacity(Long.MAX_VALUE);
    try (Store store = open(full, small)) {
      store.flush();
      assertThat(SmallStores.content(store.database())).isEqualTo(expected);
      store.dropDatabase("second");
      SmallStores.fill(store.database(), 0, 1000, 3);
    }
    try (Store store = open(full, small)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 1000, 3));
    }
  }

  /** A power loss leaves a log whose end is torn, and a manifest whose end is not certain. */
  @Test
  void whatAPowerLossLeavesIsReadWithoutSpace() {
    int before;
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      CrashDisk lost = CrashDisk.with(DIRECTORY);
      CrashDisk full;
      try (Store store = open(lost, unflushed().build())) {
        SmallStores.fill(store.database(), 0, 100, 1);
        store.sync();
        SmallStores.fill(store.database(), 100, 120, 1);
        full = lost.crash(random);
      }
      full.setCapacity(full.usedBytes());
      try (Store store = open(full, unflushed().build())) {
        before = SmallStores.content(store.database()).size();
        assertThat(before).as("seed %d", seed).isBetween(100, 120);
        store.database().delete(key(0));
      }
      try (Store store = open(full, unflushed().build())) {
        assertThat(SmallStores.content(store.database()))
            .as("seed %d", seed)
            .isEqualTo(SmallStores.filled(1, before, 1));
      }
    }
  }

  /** A record of the log that was durable before the disk was full, the last one of them. */
  private record Durable(Path segment, int bytes, int offset, int end) {
    /** Finds it: the next one has a sequence number that recovery has not left out. */
    static Durable in(StoreFileSystem files) {
      for (long number : FileKind.WAL.numbersIn(files, DIRECTORY)) {
        try (WalSegmentReader reader = WalSegmentReader.open(files, DIRECTORY, number)) {
          int before = 0;
          while (reader.next()) {
            if (before > 0 && reader.firstSequence() > WalReplay.SKIPPED_SEQUENCES) {
              return new Durable(reader.path(), reader.size(), before, reader.offset());
            }
            before = reader.offset();
          }
        }
      }
      throw new AssertionError("the log was not resumed in the segment in which it ended");
    }

    /** Overwrites bytes of its segment. */
    void erase(StoreFileSystem files, int from, int to) {
      try (RandomWriteFile file = files.openForWrite(segment, bytes)) {
        file.write(new byte[to - from], 0, to - from, from);
      }
    }

    void eraseMark(StoreFileSystem files) {
      erase(files, bytes - Long.BYTES, bytes);
    }
  }

  /**
   * A kill leaves what was written to a log that was resumed without space, not yet synced. Before,
   * nothing of it was ever synced.
   */
  private FrozenDisk killedAfterResuming() {
    CrashDisk full;
    try (Store store = open(disk, unflushed().build())) {
      SmallStores.fill(store.database(), 0, 100, 1);
      full = killedAndFull(disk);
    }
    try (Store store = open(full, unflushed().build())) {
      for (int i = 0; i < 3; i++) {
        store.database().delete(key(i));
      }
      return full.freeze();
    }
  }

  private static void assertDamaged(CrashDisk left, Durable record) {
    assertThatThrownBy(() -> open(left, unflushed().build()))
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e.file()).isEqualTo(record.segment());
              assertThat(e.offset()).isEqualTo(record.offset());
            });
  }

  @Test
  void aLogThatWasResumedWithoutSpaceIsReadAgain() {
    CrashDisk left = killedAfterResuming().kill();
    try (Store store = open(left, unflushed().build())) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(3, 100, 1));
    }
  }

  /** The end that was found once is no end that may be found again: it was made durable. */
  @Test
  void damageInALogThatWasResumedWithoutSpaceIsNotTakenForItsEnd() {
    CrashDisk left = killedAfterResuming().kill();
    Durable record = Durable.in(left.fileSystem());
    record.erase(left.fileSystem(), record.offset(), record.end());
    assertDamaged(left, record);
  }

  /** They follow a gap of more sequence numbers than a store writes. */
  @Test
  void recordsAfterTheResumptionTellOfDamageBefore() {
    CrashDisk left = killedAfterResuming().kill();
    Durable record = Durable.in(left.fileSystem());
    record.eraseMark(left.fileSystem());
    record.erase(left.fileSystem(), record.offset(), record.end());
    assertDamaged(left, record);
  }

  @Test
  void theMarkOfTheLastSegmentTellsOfDamageBeforeTheResumption() {
    CrashDisk left = killedAfterResuming().kill();
    Durable record = Durable.in(left.fileSystem());
    record.erase(left.fileSystem(), record.offset(), record.bytes() - Long.BYTES);
    assertDamaged(left, record);
  }

  /** A store to which nothing was ever written has a manifest without edits. */
  @Test
  void anEmptyStoreIsOpenedWithoutSpace() {
    CrashDisk full;
    try (Store store = open(disk, unflushed().build())) {
      assertThat(store.databaseNames()).hasSize(1);
      full = killedAndFull(disk);
    }
    try (Store store = open(full, unflushed().build())) {
      assertThat(SmallStores.content(store.database())).isEmpty();
    }
  }

  @Test
  void deletesMakeRoomInAStoreThatHasFilledItsDisk() {
    StoreOptions options =
        SmallStores.options().writeBufferBytes(32 << 10).splitUnitBytes(8 << 10).build();
    disk.setCapacity(400 << 10);
    int refused;
    try (Store store = open(disk, options)) {
      refused = fillUntilRefused(store.database());
    }
    Map<String, String> expected = SmallStores.filled(0, refused, 1);
    CrashDisk full = disk.kill();
    try (Store store = open(full, options)) {
      Database database = store.database();
      assertThat(SmallStores.content(database)).isEqualTo(expected);
      assertThatThrownBy(() -> SmallStores.fill(database, refused, refused + 1000, 1))
          .isInstanceOf(StoreFullException.class);
      database.deleteRange(KeyRange.lessThan(key(refused / 2)));
      database.delete(key(refused / 2));
      database.compact();
      SmallStores.fill(database, 0, refused / 4, 2);
      expected = new TreeMap<>(SmallStores.filled(refused / 2 + 1, refused, 1));
      assertThat(SmallStores.content(database)).containsAllEntriesOf(expected);
    }
  }

  /** A flush that makes no room for a segment takes space, which merges need. */
  @Test
  void refusedPutsDoNotFlushWhatIsDeletedBetweenThemOneByOne() {
    StoreOptions options =
        SmallStores.options().writeBufferBytes(32 << 10).splitUnitBytes(8 << 10).build();
    disk.setCapacity(400 << 10);
    try (Store store = open(disk, options)) {
      store.pauseCompactions();
      Database database = store.database();
      int refused = fillUntilRefused(database);
      Set<Path> ssts = ConcurrentHashMap.newKeySet();
      disk.watch(
          (call, moment) -> {
            if (call.changes() && call.operation().equals("create")) {
              ssts.add(call.path());
            }
          });
      byte[] value = new byte[20_000]; // does not fit into the segment of the deletes
      for (int i = 0; i < 100; i++) {
        assertThatThrownBy(() -> database.put(key(refused), value))
            .isInstanceOf(StoreFullException.class);
        if (i % 10 == 0) {
          database.delete(key(i));
        }
      }
      assertThat(ssts.stream().filter(file -> file.toString().endsWith(".sst")))
          .hasSizeLessThanOrEqualTo(1);
      store.resumeCompactions();
      database.deleteRange(KeyRange.lessThan(key(refused / 2)));
      database.compact();
      database.put(key(refused), value);
      assertThat(SmallStores.content(database))
          .containsAllEntriesOf(SmallStores.filled(refused / 2, refused, 1));
    }
  }

  /** Each flush takes pages of its own, and what is flushed fits into one segment of the log. */
  @ParameterizedTest
  @EnumSource(
      value = Durability.class,
      names = {"NONE", "BUFFERED"})
  void flushesOfFewEntriesLeaveRoomForDeletes(Durability durability) {
    disk.setCapacity(400 << 10);
    try (Store store = open(disk, SmallStores.options().build())) {
      Database database = store.database();
      store.pauseCompactions();
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 1000; i++) {
                  database.put(key(i), value(i, 1), WriteOptions.of(durability));
                  store.flush();
                }
              })
          .isInstanceOf(StoreFullException.class);
      store.resumeCompactions();
      database.deleteRange(KeyRange.all());
      database.compact();
      database.put(key(0), value(0, 2), WriteOptions.of(durability));
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 1, 2));
    }
  }

  /** What compactions have taken is given back only after the flush of deletes. */
  @Test
  void compactionsLeaveTheSpaceThatFlushesNeed() {
    StoreOptions options = unflushed().splitUnitBytes(16 << 10).compactionThreads(1).build();
    try (Store store = open(disk, options)) {
      Database database = store.database();
      store.pauseCompactions();
      for (int tree = 0; tree < 5; tree++) {
        fillEachFifth(database, tree);
        store.flush();
      }
      SmallStores.fill(database, 0, 200, 2);
      database.deleteRange(KeyRange.all());
      disk.setCapacity(disk.usedBytes() + (40 << 10));
      store.resumeCompactions();
      assertThatThrownBy(store::awaitIdle).isInstanceOf(StoreFullException.class);
      store.flush();
      database.compact();
      assertThat(SmallStores.content(database)).isEmpty();
    }
  }

  /** Even those that would give it back when they end: the delete may come before. */
  @Test
  void compactionsLeaveTheSpaceOfADeleteToCome() {
    StoreOptions options = unflushed().splitUnitBytes(64 << 10).compactionThreads(1).build();
    try (Store store = open(disk, options)) {
      Database database = store.database();
      store.pauseCompactions();
      for (int tree = 0; tree < 3; tree++) {
        for (int i = 0; i < 70; i++) {
          database.put(key(3 * i + tree), value(i, 1));
        }
        store.flush();
      }
      disk.setCapacity(disk.usedBytes() + (56 << 10)); // enough to merge them
      store.resumeCompactions();
      assertThatThrownBy(store::awaitIdle).isInstanceOf(StoreFullException.class);
      database.deleteRange(KeyRange.all());
      database.compact();
      assertThat(SmallStores.content(database)).isEmpty();
    }
  }

  /** However often it was tried: what it had reserved is there again. */
  @Test
  void aCompactionThatIsRefusedHoldsNoSpace() {
    StoreOptions options = unflushed().splitUnitBytes(16 << 10).compactionThreads(1).build();
    try (Store store = open(disk, options)) {
      Database database = store.database();
      store.pauseCompactions();
      for (int tree = 0; tree < 5; tree++) {
        fillEachFifth(database, tree);
        store.flush();
      }
      Map<String, String> expected = SmallStores.content(database);
      SmallStores.fill(database, 0, 200, 1);
      disk.setCapacity(disk.usedBytes() + (40 << 10));
      store.resumeCompactions();
      for (int i = 0; i < 50; i++) {
        assertThatThrownBy(store::awaitIdle).isInstanceOf(StoreFullException.class);
      }
      disk.setCapacity(disk.usedBytes() + (400 << 10));
      store.awaitIdle();
      assertThat(database.forest().trees()).isLessThan(5);
      assertThat(SmallStores.content(database)).isEqualTo(expected);
    }
  }

  private static void fillEachFifth(Database database, int first) {
    for (int i = 0; i < 1000; i++) {
      int key = 5 * i + first;
      database.put(key(key), value(key, 1));
    }
  }

  /** Returns the first key that was not acknowledged. */
  private static int fillUntilRefused(Database database) {
    for (int i = 0; i < 100_000; i++) {
      try {
        database.put(key(i), value(i, 1));
      } catch (StoreFullException e) {
        return i;
      }
    }
    throw new AssertionError("a full disk takes everything");
  }

  private StoreOptions retaining() {
    return SmallStores.options().retainedLogBytes(100L << 20).build();
  }

  /** The same keys again and again, so that nothing but the log grows. */
  private static void overwrite(Database database, int versions) {
    for (int version = 1; version <= versions; version++) {
      SmallStores.fill(database, 0, 200, version);
    }
  }

  @Test
  void noWriteFailsAsLongAsLogIsOnlyRetained() {
    disk.setCapacity(700 << 10);
    try (Store store = open(disk, retaining())) {
      for (int version = 1; version <= 100; version++) {
        SmallStores.fill(store.database(), 0, 200, version);
        store.awaitIdle(); // so that only the log is more than there has to be
      }
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 200, 100));
      assertThat(store.oldestChange()).isGreaterThan(1);
    }
  }

  @Test
  void noMergeFailsAsLongAsLogIsOnlyRetained() {
    try (Store store = open(disk, retaining())) {
      store.pauseCompactions();
      overwrite(store.database(), 10);
      store.flush();
      assertThat(store.oldestChange()).isEqualTo(1);
      disk.setCapacity(disk.usedBytes());
      store.resumeCompactions();
      store.database().compact();
      assertThat(store.oldestChange()).isGreaterThan(1);
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 200, 10));
    }
  }

  /** Without early cleaning a merge needs as much as its inputs; log is of use to its readers. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aMergeTakesNoMoreOfTheRetainedLogThanItNeeds(boolean isRequested) {
    StoreOptions options =
        SmallStores.options().earlyCleaning(false).retainedLogBytes(100L << 20).build();
    try (Store store = open(disk, options)) {
      overwrite(store.database(), 40);
      store.flush();
      store.awaitIdle();
      store.pauseCompactions();
      overwrite(store.database(), 4);
      store.flush();
      assertThat(store.oldestChange()).isEqualTo(1);
      disk.setCapacity(disk.usedBytes());
      store.resumeCompactions();
      if (isRequested) {
        store.database().compact();
      } else {
        store.awaitIdle();
      }
      // Of 8,800 changes; what is merged are the last 800 and what the first 8,000 have left.
      assertThat(store.oldestChange()).isBetween(2L, 4_000L);
    }
  }

  @Test
  void noIngestFailsAsLongAsLogIsOnlyRetained() {
    try (Store store = open(disk, retaining())) {
      overwrite(store.database(), 10);
      store.flush();
      store.awaitIdle();
      Path directory = Path.of("/files");
      TestStores.makeDirectory(store, directory);
      List<Path> files;
      try (SstFileWriter writer = TestStores.writer(store, directory.resolve("file"))) {
        for (int i = 0; i < 200; i++) {
          writer.put(key(i), value(i, 11));
        }
        files = writer.finish().files();
      }
      disk.setCapacity(disk.usedBytes());
      IngestOptions copied = IngestOptions.builder().files(IngestFiles.COPY).build();
      store.ingest(Map.of(store.database(), files), copied);
      assertThat(store.oldestChange()).isGreaterThan(1);
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 200, 11));
    }
  }

  /** While a checkpoint holds the log, giving some of it back makes no space. */
  @Test
  void noFlushGivesBackLogThatACheckpointHolds() {
    Path copy = Path.of("/copy");
    List<Runnable> whileHeld = new ArrayList<>();
    StoreFileSystem files =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public AppendFile create(Path file) {
            if (file.startsWith(copy) && file.toString().endsWith(".wal")) {
              List<Runnable> now = List.copyOf(whileHeld);
              whileHeld.clear();
              now.forEach(Runnable::run);
            }
            return super.create(file);
          }
        };
    try (Store store = TestStores.open(DIRECTORY, retaining(), files)) {
      overwrite(store.database(), 10);
      store.flush();
      store.awaitIdle();
      whileHeld.add(
          () -> {
            disk.setCapacity(1);
            assertThat(CompletableFuture.runAsync(store::flush))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(StoreFullException.class);
            disk.setCapacity(Long.MAX_VALUE);
          });
      store.database().put(key(1), value(1, 11)); // so that there is log to be copied
      store.checkpoint(copy);
      assertThat(whileHeld).isEmpty();
      assertThat(store.oldestChange()).isEqualTo(1);
    }
  }

  /** The opening needs no space, so it gives back nothing; a flush gives back what it needs. */
  @Test
  void anOpeningKeepsLogThatIsOnlyRetainedUntilAFlush() {
    StoreOptions options = unflushed().retainedLogBytes(100L << 20).build();
    CrashDisk full;
    try (Store store = open(disk, options)) {
      overwrite(store.database(), 10);
      store.flush();
      SmallStores.fill(store.database(), 0, 200, 11);
      full = killedAndFull(disk);
    }
    try (Store store = open(full, options)) {
      assertThat(store.oldestChange()).isEqualTo(1);
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 200, 11));
      store.flush();
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 200, 11));
    }
  }
}
