package io.sifr.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.event.Metric;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.Waiting;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a merge with early cleaning can get wrong without any crash: the seventeen failures of
 * meaning that the design lists. {@link #isTested} says where each of them is tested; those that
 * need a whole store are here.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FailuresOfMeaningTest {
  private static final Tuning TUNING = Tuning.DEFAULT.withCleaningThresholdBytes(4096);

  private static final Path DIRECTORY = CrashRound.DIRECTORY;
  private static final int UNIT = 16384;
  private static final int KEYS = 600;

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);

  /** A merge of two trees commits each SST; nothing is merged that is not asked for. */
  private static StoreOptions.Builder options() {
    return StoreOptions.builder()
        .writeBufferBytes(1 << 20)
        .splitUnitBytes(UNIT)
        .compaction(CompactionPolicy.splitForest(64))
        .compactionThreads(1);
  }

  @ParameterizedTest(name = "{0}. {1}: {2}")
  @CsvSource({
    "1, resurrection, internal.search.FrontierTest#keyWhoseTombstoneWasDroppedStaysDeleted",
    "1, resurrection, internal.search.FrontierTest#answersAreTheSameWhereverTheFrontiersStand",
    "2, tombstone dropped too early, "
        + "internal.compaction.merge.PartTaskTest#tombstoneStaysAsLongAsAnOlderTreeMayHoldItsKey",
    "2, tombstone dropped too early, crash.FailuresOfMeaningTest#tombstoneStaysInAResumedMerge",
    "3, versions of a key in two outputs, "
        + "internal.compaction.merge.PartTaskTest#versionsOfOneKeyStayInOneSst",
    "4, a snapshot needs a cleaned input, "
        + "internal.compaction.merge.PartTaskTest#whatASnapshotSeesIsKeptAndTheTombstoneAboveIt",
    "4, a snapshot needs a cleaned input, "
        + "crash.FailuresOfMeaningTest#snapshotsSeeTheirStateWhileInputsAreCleaned",
    "5, reader and cleaner miss each other (epochs; there is no map), "
        + "internal.view.ReadEpochsTest#waitsForAReaderThatWasHeldUpBetweenLookingAndCounting",
    "5, reader and cleaner miss each other (epochs; there is no map), "
        + "internal.view.ReadEpochsTest#nothingIsDisposedOfUnderAReader",
    "6, a pin is lost or given back twice, internal.sst.read.SstTest#releasesTooOftenAreNoticed",
    "6, a pin is lost or given back twice, "
        + "internal.sst.read.SstTest#pinsOfManyThreadsEndInOneRelease",
    "6, a pin is lost or given back twice, "
        + "internal.background.ObsoleteFilesTest#aCursorKeepsItsOwnSstAndNoOther",
    "7, a cursor across a frontier,"
        + " behaviour.CursorSeesOneStateTest#whileAllIsOverwrittenAndMerged",
    "7, a cursor across a frontier, behaviour.CursorSeesOneStateTest#inBothDirections",
    "8, a foreign filter, internal.sst.read.SstFilterTest#aPageOfAnotherSstRulesOutNothing",
    "8, a foreign filter, internal.sst.read.SstFilterTest#pagesThatWereExchangedRuleOutNothing",
    "9, a number is used again, "
        + "internal.state.CatalogStoreTest#noNumberIsGivenTwiceHoweverOftenTheProcessDies",
    "9, a number is used again, internal.sst.read.SstDamageTest#anotherSstUnderTheNameIsFound",
    "10, damage in an input when others are gone, "
        + "internal.compaction.merge.PartTaskTest#damagedInputLeavesOnlyWhatWasHandedOver",
    "10, damage in an input when others are gone, "
        + "behaviour.DamagedFileIsNamedTest#mergesThatMeetDamageStopButNothingHangs",
    "11, the disk is full, crash.FailuresOfMeaningTest#mergeNeedsSpaceForAFewSstsOnly",
    "11, the disk is full, behaviour.FullDiskStopsWritesForAWhileTest#whenSstsCannotBeWritten",
    "12, a file cannot be deleted, "
        + "crash.FailuresOfMeaningTest#filesThatCannotBeDeletedStopNothing",
    "13, the journal is damaged, "
        + "internal.manifest.ManifestDamageTest#namesTheDamagedRecordAndTheOneAfterIt",
    "13, the journal is damaged, "
        + "inspect.salvage.SalvageTest#whatARunningMergeHasComeThroughIsNotTakenFromItsInputs",
    "14, an older version meets a journal, "
        + "internal.forest.EditCodecTest#refusesKindsOfEditsItDoesNotKnow",
    "14, an older version meets a journal, "
        + "behaviour.UnknownFormatIsRefusedTest#ofEveryFileThatIsReadFromItsHeaderOn",
    "15, an output cannot be synced, "
        + "crash.FailuresOfMeaningTest#outputThatCouldNotBeSyncedIsGivenUp",
    "16, frontiers at the ends of the key space, "
        + "behaviour.LargestEntriesPassThroughEverythingTest#memoryFlushMergeAndReopening",
    "16, frontiers at the ends of the key space, "
        + "crash.FailuresOfMeaningTest#frontiersAtTheEndsOfTheKeySpace",
    "16, frontiers at the ends of the key space, "
        + "internal.compaction.cut.CutsTest#sstsThatEndAlikeAreNotCutTwice",
    "17, a merge thread dies after a commit, "
        + "crash.FailuresOfMeaningTest#mergeWhoseThreadRunsOutOfMemoryGoesOnWhenReopened",
    "17, a merge thread is interrupted after a commit, "
        + "crash.FailuresOfMeaningTest#mergeWhoseThreadIsInterruptedGoesOn"
  })
  void isTested(int number, String failure, String test) throws ClassNotFoundException {
    String[] parts = test.split("#", 2);
    assertThat(Class.forName("io.sifr." + parts[0]).getDeclaredMethods())
        .as("%d. %s", number, failure)
        .anyMatch(method -> method.getName().equals(parts[1]) && isTest(method));
  }

  private static boolean isTest(Method method) {
    return Arrays.stream(method.getAnnotations())
        .anyMatch(annotation -> annotation.annotationType().getSimpleName().endsWith("Test"));
  }

  // A store of two trees in stage 1, with all keys in each.

  private static byte[] key(int number) {
    return String.format("key%06d", number).getBytes(US_ASCII);
  }

  private static byte[] value(int number, int version) {
    return ("v" + version + " of " + number + " ").repeat(20).getBytes(US_ASCII);
  }

  private static void fill(Store store, int version) {
    for (int i = 0; i < KEYS; i++) {
      store.database().put(key(i), value(i, version));
    }
    store.flush();
  }

  private static void assertHolds(Store store, int version) {
    for (int i = 0; i < KEYS; i++) {
      assertThat(store.database().get(key(i))).as("key %d", i).isEqualTo(value(i, version));
    }
  }

  /** Does something when the n-th commit of a merge is durable, before the inputs are let go of. */
  private static StoreFileSystem atCommit(StoreFileSystem files, int nth, Runnable action) {
    AtomicInteger commits = new AtomicInteger();
    return new ForwardingFileSystem(files) {
      @Override
      public void reached(CrashPoint point) {
        super.reached(point);
        if (point == BackgroundCrashPoint.COMPACTION_PROGRESS_PUBLISHED
            && commits.incrementAndGet() == nth) {
          action.run();
        }
      }
    };
  }

  private void reopenWhole(CrashDisk image, int version) {
    try (Store store = TestStores.open(DIRECTORY, options().build(), TUNING, image.fileSystem())) {
      assertHolds(store, version);
      store.awaitIdle();
      assertHolds(store, version);
    }
    assertThat(TestChecks.run(image.fileSystem(), DIRECTORY).findings()).isEmpty();
  }

  /** The oldest tree is no input of the merge; what may be dropped is the same as before. */
  @Test
  void tombstoneStaysInAResumedMerge() {
    // Two trees of stage 1 make a merge, whose output meets an older tree in stage 2.
    StoreOptions options = options().compaction(CompactionPolicy.splitForest(2)).build();
    AtomicReference<@Nullable FrozenDisk> within = new AtomicReference<>();
    try (Store store = TestStores.open(DIRECTORY, options, TUNING, disk.fileSystem())) {
      fill(store, 1);
      fill(store, 2);
      store.awaitIdle();
      assertThat(store.database().forest().trees()).isEqualTo(1);
    }
    StoreFileSystem files = atCommit(disk.fileSystem(), 2, () -> within.set(disk.freeze()));
    try (Store store = TestStores.open(DIRECTORY, options, TUNING, files)) {
      store.pauseCompactions();
      for (int i = 0; i < KEYS; i++) {
        if (i % 2 == 0) {
          store.database().delete(key(i));
        } else {
          store.database().put(key(i), value(i, 3));
        }
      }
      store.flush();
      for (int i = 1; i < KEYS; i += 2) {
        store.database().put(key(i), value(i, 4));
      }
      store.flush();
      store.resumeCompactions();
      store.awaitIdle();
    }
    FrozenDisk frozen = within.get();
    assertThat(frozen).as("the disk within a merge").isNotNull();
    for (int seed = 0; seed < 10 && frozen != null; seed++) {
      CrashDisk image = frozen.crash(new Random(seed));
      try (Store store = TestStores.open(DIRECTORY, options, TUNING, image.fileSystem())) {
        assertDeleted(store);
        store.awaitIdle();
        assertDeleted(store);
        store.database().compact();
        assertDeleted(store);
      }
    }
  }

  private static void assertDeleted(Store store) {
    for (int i = 0; i < KEYS; i++) {
      byte[] expected = i % 2 == 0 ? null : value(i, 4);
      assertThat(store.database().get(key(i))).as("key %d", i).isEqualTo(expected);
    }
  }

  /** Also one that is taken in the middle, and when the earlier one is released then. */
  @Test
  void snapshotsSeeTheirStateWhileInputsAreCleaned() {
    AtomicReference<@Nullable Runnable> check = new AtomicReference<>();
    Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
    AtomicInteger checks = new AtomicInteger();
    StoreFileSystem files = disk.fileSystem();
    for (int nth = 1; nth <= 5; nth++) {
      files =
          atCommit(
              files,
              nth,
              () -> {
                Runnable now = check.get();
                if (now != null) {
                  checks.incrementAndGet();
                  try {
                    now.run();
                  } catch (RuntimeException | Error e) {
                    wrong.add(e);
                  }
                }
              });
    }
    try (Store store = TestStores.open(DIRECTORY, options().build(), TUNING, files)) {
      Database database = store.database();
      fill(store, 1);
      Snapshot early = store.snapshot();
      fill(store, 2);
      check.set(
          () -> {
            try (Snapshot late = store.snapshot()) {
              for (int i = 0; i < KEYS; i++) {
                assertThat(database.get(key(i), ReadOptions.at(early))).isEqualTo(value(i, 1));
                assertThat(database.get(key(i), ReadOptions.at(late))).isEqualTo(value(i, 2));
              }
            }
          });
      database.compact();
      assertThat(wrong).isEmpty();
      assertThat(checks).hasValue(5);
      check.set(null);
      early.close();
      database.compact();
      assertHolds(store, 2);
    }
  }

  /** Without early cleaning the same space does not do. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void mergeNeedsSpaceForAFewSstsOnly(boolean earlyCleaning) {
    StoreOptions options = options().earlyCleaning(earlyCleaning).build();
    try (Store store = TestStores.open(DIRECTORY, options, TUNING, disk.fileSystem())) {
      fill(store, 1);
      fill(store, 2);
    }
    long used = disk.usedBytes();
    try (Store store = TestStores.open(DIRECTORY, options, TUNING, disk.fileSystem())) {
      Database database = store.database();
      // The output is half of what is there. Two SSTs are written before an input can be deleted;
      // what is left for the flush and the log of a delete is as much as two more of this size.
      disk.setCapacity(disk.usedBytes() + 6 * UNIT);
      assertThat(used / 2).isGreaterThan(8 * UNIT);
      if (earlyCleaning) {
        database.compact();
        assertThat(database.forest().trees()).isEqualTo(1);
      } else {
        assertThatThrownBy(database::compact).isInstanceOf(StoreFullException.class);
      }
      assertHolds(store, 2);
      disk.setCapacity(Long.MAX_VALUE);
    }
    reopenWhole(disk.kill(), 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {".sst", ".wal"})
  void filesThatCannotBeDeletedStopNothing(String suffix) {
    FaultyFileSystem faulty = new FaultyFileSystem(disk.fileSystem());
    StoreOptions options =
        options()
            .writeBufferBytes(8192)
            .logSegmentBytes(4096)
            .compaction(CompactionPolicy.splitForest(2))
            .build();
    try (Store store = TestStores.open(DIRECTORY, options, TUNING, faulty)) {
      faulty.failForGood(Operation.DELETE, file -> file.toString().endsWith(suffix), 1, Fault.EIO);
      long before = faulty.calls(Operation.DELETE);
      for (int version = 1; version <= 3; version++) {
        fill(store, version);
        store.awaitIdle();
      }
      assertThat(faulty.calls(Operation.DELETE)).isGreaterThan(before);
      assertHolds(store, 3);
      store.database().put(key(0), value(0, 3), WriteOptions.SYNC);
      faulty.heal();
      if (suffix.equals(".sst")) {
        store.database().compact();
        Waiting.until(
            "only the SSTs of the forest are left",
            () -> ssts(disk) == store.statistics().get(Metric.SSTS));
      }
    }
    reopenWhole(disk.kill(), 3);
  }

  private static long ssts(CrashDisk disk) {
    return disk.fileSystem().list(DIRECTORY).stream().filter(name -> name.endsWith(".sst")).count();
  }

  /** A second sync would claim what the first one lost. */
  @Test
  void outputThatCouldNotBeSyncedIsGivenUp() {
    List<Path> synced = new ArrayList<>();
    StoreFileSystem watched =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public AppendFile create(Path file) {
            return new ForwardingAppendFile(super.create(file)) {
              @Override
              public void sync() {
                synced.add(file);
                super.sync();
              }
            };
          }
        };
    FaultyFileSystem faulty = new FaultyFileSystem(watched);
    AtomicReference<@Nullable Path> failed = new AtomicReference<>();
    Store store = TestStores.open(DIRECTORY, options().build(), TUNING, faulty);
    fill(store, 1);
    fill(store, 2);
    synced.clear();
    AtomicInteger ssts = new AtomicInteger();
    faulty.failOnce(
        Operation.SYNC,
        file -> {
          boolean isThird = file.toString().endsWith(".sst") && ssts.incrementAndGet() == 3;
          if (isThird) {
            failed.set(file);
          }
          return isThird;
        },
        1,
        Fault.EIO);
    assertThatThrownBy(store.database()::compact).isInstanceOf(SifrException.class);
    assertThat(failed.get()).isNotNull();
    assertHolds(store, 2);
    store.close();
    assertThat(synced).doesNotContain(failed.get());
    assertThat(disk.fileSystem().exists(Objects.requireNonNull(failed.get()))).isFalse();
    reopenWhole(disk.crash(new Random(1)), 2);
  }

  /** The empty key, the largest keys, equal ends of neighbours: each is once a frontier. */
  @Test
  void frontiersAtTheEndsOfTheKeySpace() {
    List<byte[]> keys = new ArrayList<>();
    keys.add(new byte[0]);
    for (int length : new int[] {1, 2, 65_535, 65_536}) {
      byte[] smallest = new byte[length];
      byte[] largest = new byte[length];
      Arrays.fill(largest, (byte) 0xff);
      keys.add(smallest);
      keys.add(largest);
    }
    List<FrozenDisk> moments = new ArrayList<>();
    StoreFileSystem files =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public void reached(CrashPoint point) {
            super.reached(point);
            if (point == BackgroundCrashPoint.COMPACTION_PROGRESS_DURABLE) {
              moments.add(disk.freeze());
            }
          }
        };
    try (Store store = TestStores.open(DIRECTORY, options().build(), TUNING, files)) {
      for (int version = 1; version <= 2; version++) {
        for (byte[] key : keys) {
          store.database().put(key, value(key.length, version));
        }
        store.flush();
      }
      store.database().compact();
      assertHolds(store, keys);
    }
    assertThat(moments).hasSizeGreaterThanOrEqualTo(keys.size() / 2);
    for (FrozenDisk moment : moments) {
      CrashDisk image = moment.crash(new Random(1));
      try (Store store =
          TestStores.open(DIRECTORY, options().build(), TUNING, image.fileSystem())) {
        assertHolds(store, keys);
        store.awaitIdle();
        assertHolds(store, keys);
      }
    }
  }

  private static void assertHolds(Store store, List<byte[]> keys) {
    for (byte[] key : keys) {
      assertThat(store.database().get(key)).isEqualTo(value(key.length, 2));
    }
  }

  @Test
  void mergeWhoseThreadRunsOutOfMemoryGoesOnWhenReopened() {
    StoreFileSystem files =
        atCommit(
            disk.fileSystem(),
            2,
            () -> {
              throw new OutOfMemoryError("for a test");
            });
    StoreOptions options = options().compaction(CompactionPolicy.splitForest(2)).build();
    try (Store store = TestStores.open(DIRECTORY, options, TUNING, files)) {
      store.pauseCompactions();
      fill(store, 1);
      fill(store, 2);
      store.resumeCompactions();
      assertThatThrownBy(store::awaitIdle)
          .isInstanceOf(StoreFailedException.class)
          .hasRootCauseInstanceOf(OutOfMemoryError.class);
      assertHolds(store, 2);
    }
    reopenWhole(disk.crash(new Random(1)), 2);
  }

  @Test
  void mergeWhoseThreadIsInterruptedGoesOn() {
    AtomicInteger interrupts = new AtomicInteger();
    StoreFileSystem files =
        atCommit(
            disk.fileSystem(),
            2,
            () -> {
              interrupts.incrementAndGet();
              Thread.currentThread().interrupt();
            });
    StoreOptions options = options().compaction(CompactionPolicy.splitForest(2)).build();
    try (Store store = TestStores.open(DIRECTORY, options, TUNING, files)) {
      store.pauseCompactions();
      fill(store, 1);
      fill(store, 2);
      store.resumeCompactions();
      store.awaitIdle();
      assertThat(interrupts).hasValue(1);
      assertThat(store.database().forest().trees()).isEqualTo(1);
      assertHolds(store, 2);
    }
    reopenWhole(disk.crash(new Random(1)), 2);
  }
}
