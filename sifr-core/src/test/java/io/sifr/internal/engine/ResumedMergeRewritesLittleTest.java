package io.sifr.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Call;
import io.sifr.testing.CrashDisk.Moment;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.SstAppendCount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * I5: a merge of more than 200 SSTs that a crash interrupts goes on after its frontiers. What it
 * writes again is less than what it may write between two commits, and one SST for each thread that
 * was at a part of it. Another first seed: {@code -Dsifr.resume.seed=…}.
 */
@Tag("crash")
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // so the trees are written once
class ResumedMergeRewritesLittleTest {
  private static final long SEED = Long.getLong("sifr.resume.seed", 1);
  private static final Path DIRECTORY = Path.of("/store");
  private static final int SPLIT_UNIT = 32 << 10;
  private static final int KEYS = 20_000;
  private static final int WRITES_A_FLUSH = 2000;
  private static final int FLUSHES_A_TREE = 3;

  /** Outputs of the merge before the first crash, and how many more there may be before it. */
  private static final int OUTPUTS_BEFORE = 50;

  private static final int OUTPUTS_SPREAD = 50;

  /** Many more than the merge needs when each process comes through a dozen SSTs. */
  private static final int MOST_CRASHES = 40;

  /** Where it crashes; null: anywhere. */
  private static final @Nullable CrashPoint[] PLACES = {
    BackgroundCrashPoint.COMPACTION_OUTPUT_VERIFIED,
    BackgroundCrashPoint.COMPACTION_NAMES_DURABLE,
    BackgroundCrashPoint.COMPACTION_PROGRESS_DURABLE,
    BackgroundCrashPoint.COMPACTION_PROGRESS_PUBLISHED,
    BackgroundCrashPoint.CLEAN_DELETED,
    null,
  };

  private final Random random = new Random(SEED);
  private final NavigableMap<byte[], byte[]> content = new TreeMap<>(Arrays::compareUnsigned);

  /** Two trees of stage 2 that are merged as soon as somebody opens the store. */
  private final FrozenDisk loaded = load();

  private FrozenDisk load() {
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    StoreOptions options =
        options(2, SPLIT_UNIT).compaction(CompactionPolicy.splitForest(FLUSHES_A_TREE)).build();
    try (Store store = TestStores.open(DIRECTORY, options, tuning(10), disk.fileSystem())) {
      for (int flush = 0; flush < 2 * FLUSHES_A_TREE; flush++) {
        for (int i = 0; i < WRITES_A_FLUSH; i++) {
          write(store, String.format("key%06d", random.nextInt(KEYS)));
        }
        for (int i = 0; i < 120; i++) {
          // Where no tree overlaps another: SSTs of these are moved.
          write(store, String.format("run%d-%06d", flush, i));
        }
        store.flush();
        store.awaitIdle();
      }
    }
    Forest forest = forest(disk);
    assertThat(forest.byPriority()).isEqualTo(forest.stage(2)).hasSize(2);
    assertThat(forest.ssts().size()).isGreaterThanOrEqualTo(200);
    return disk.freeze();
  }

  private void write(Store store, String key) {
    byte[] bytes = key.getBytes(UTF_8);
    if (random.nextInt(6) == 0) {
      store.database().delete(bytes);
      content.remove(bytes);
    } else {
      byte[] value = new byte[600 + random.nextInt(400)];
      random.nextBytes(value);
      store.database().put(bytes, value);
      content.put(bytes, value);
    }
  }

  private static Tuning tuning(int threshold) {
    return Tuning.DEFAULT
        .withSstsBeforeGrowth(1)
        .withCleaningThresholdBytes((long) threshold * SPLIT_UNIT);
  }

  private static StoreOptions.Builder options(int threads, int sstBytes) {
    return StoreOptions.builder()
        .durability(Durability.NONE)
        .writeBufferBytes(64 << 20)
        .splitUnitBytes(SPLIT_UNIT)
        .maxSstBytes(sstBytes)
        .compactionThreads(threads);
  }

  @ParameterizedTest(name = "a commit each {0} split units, {1} threads, SSTs of {2} split units")
  @CsvSource({"10, 1, 1", "10, 3, 1", "1, 3, 1", "10, 2, 3", "1, 1, 3"})
  void afterOneCrash(int threshold, int threads, int units) {
    int sstBytes = units * SPLIT_UNIT;
    StoreOptions options =
        options(threads, sstBytes).compaction(CompactionPolicy.splitForest(2)).build();
    CrashDisk disk = loaded.kill();
    long first = nextNumber(disk);
    List<Crash> crashes = new ArrayList<>();
    for (CrashPoint place : PLACES) {
      crashes.add(new Crash(place, (OUTPUTS_BEFORE + random.nextInt(OUTPUTS_SPREAD)) / units));
    }
    merge(disk, options, tuning(threshold), crashes);
    long most = 0;
    for (Crash crash : crashes) {
      long written = bytesSince(first, crash.disk().kill());
      CrashDisk image = crash.leaves(random);
      Forest found = forest(image);
      long writtenLater = merge(image, options, tuning(threshold), List.of());
      List<Sst> output = since(first, forest(image));
      checkGoesOn(found, since(first, found), output, units, crash.where());
      long twice = written + writtenLater - bytes(output);
      assertThat(twice)
          .as("seed %d, crash at %s: bytes written twice", SEED, crash.where())
          .isBetween(0L, mostTwice(output, threshold, threads, sstBytes));
      most = Math.max(most, twice);
    }
    System.out.printf(
        "seed %d, commits of %d KiB, %d threads, SSTs of %d KiB: at most %.1f SSTs written twice%n",
        SEED, (threshold * SPLIT_UNIT) >> 10, threads, sstBytes >> 10, (double) most / sstBytes);
  }

  /** What was journalled is still there, and what came later lies after the frontiers. */
  private static void checkGoesOn(
      Forest found, List<Sst> journalled, List<Sst> output, int units, String where) {
    assertThat(found.compactions()).hasSize(1);
    Compaction merge = found.compactions().get(0);
    assertThat(journalled).as(where).hasSizeGreaterThan(OUTPUTS_BEFORE / 2 / units);
    assertThat(found.trees(merge.inputTreeIds()).stream().mapToInt(tree -> tree.ssts().size()))
        .as("SSTs left to merge, %s", where)
        .allMatch(left -> left > OUTPUTS_BEFORE / 4);
    List<String> before = journalled.stream().map(sst -> identity(sst)).toList();
    assertThat(output.stream().map(sst -> identity(sst))).as(where).containsAll(before);
    for (Sst sst : output) {
      if (!before.contains(identity(sst))) {
        assertThat(merge.remaining())
            .as("what was left when SST %s was written, %s", identity(sst), where)
            .anyMatch(span -> span.contains(sst.smallestKey(), sst.largestKey()));
      }
    }
  }

  /**
   * No process lives long enough for more than a few commits, and yet the merge comes to its end.
   */
  @ParameterizedTest(name = "a commit each {0} split units, {1} threads, SSTs of {2} split units")
  @CsvSource({"10, 1, 1", "1, 3, 1", "1, 3, 2"})
  void afterOneCrashAfterTheOther(int threshold, int threads, int units) {
    int sstBytes = units * SPLIT_UNIT;
    StoreOptions options =
        options(threads, sstBytes).compaction(CompactionPolicy.splitForest(2)).build();
    CrashDisk disk = loaded.kill();
    long first = nextNumber(disk);
    long written = 0;
    int crashes = 0;
    while (forest(disk).stageCount() == 2 || !forest(disk).compactions().isEmpty()) {
      long firstOfProcess = nextNumber(disk);
      Crash crash =
          new Crash(
              BackgroundCrashPoint.COMPACTION_OUTPUT_VERIFIED, (15 + random.nextInt(15)) / units);
      merge(disk, options, tuning(threshold), List.of(crash));
      if (crash.isOver()) {
        written += bytesSince(firstOfProcess, crash.disk().kill());
        disk = crash.leaves(random);
        crashes++;
        assertThat(crashes).as("crashes without an end of the merge").isLessThan(MOST_CRASHES);
      } else {
        written += bytesSince(firstOfProcess, disk);
      }
    }
    assertThat(crashes).isGreaterThan(3);
    List<Sst> output = since(first, forest(disk));
    assertThat(written - bytes(output))
        .as("seed %d, %d crashes: bytes written twice", SEED, crashes)
        .isBetween(0L, crashes * mostTwice(output, threshold, threads, sstBytes));
  }

  /**
   * Less than what is written between two commits, and one SST for each thread, and one that
   * exceeds the threshold.
   */
  private static long mostTwice(List<Sst> output, int threshold, int threads, int sstBytes) {
    long largest = output.stream().mapToLong(sst -> sst.meta().fileBytes()).max().orElseThrow();
    // An eighth more than the target; the last one of a part takes along what is not worth an SST;
    // its last block and what follows the blocks are padded.
    assertThat(largest).isLessThan(sstBytes + sstBytes / 2 + 2 * 4096);
    return (long) threshold * SPLIT_UNIT + (1 + threads) * largest - 1;
  }

  /** A moment of the merge that is wanted, and what the disk looks like then. */
  private final class Crash {
    private final @Nullable CrashPoint place;
    private int outputsBefore;
    private @Nullable FrozenDisk disk;
    private String where = "nowhere";

    private Crash(@Nullable CrashPoint place, int outputsBefore) {
      this.place = place;
      this.outputsBefore = outputsBefore;
    }

    boolean isOver() {
      return disk != null;
    }

    FrozenDisk disk() {
      FrozenDisk frozen = disk;
      if (frozen == null) {
        throw new AssertionError("the merge never came to " + place);
      }
      return frozen;
    }

    /** What is left when the process is killed at that moment, or the power fails. */
    CrashDisk leaves(Random chance) {
      return chance.nextBoolean() ? disk().kill() : disk().crash(chance);
    }

    String where() {
      return where;
    }

    /** Called under the disk's monitor. */
    void look(CrashDisk now, Call call, Moment moment) {
      if (isOver() || moment != Moment.BEFORE) {
        return;
      }
      if (is(call, BackgroundCrashPoint.COMPACTION_OUTPUT_VERIFIED)) {
        outputsBefore--;
      }
      CrashPoint wanted = place;
      if (outputsBefore <= 0
          && (wanted == null ? call.changes() && random.nextInt(20) == 0 : is(call, wanted))) {
        disk = now.freeze();
        where = call.toString();
      }
    }

    private static boolean is(Call call, CrashPoint point) {
      return call.path().equals(Path.of(point.name()));
    }
  }

  /**
   * Opens a store, lets it merge, looks whether it holds what it should, and closes it.
   *
   * @param crashes moments to be kept
   * @return bytes written to SSTs
   */
  private long merge(CrashDisk disk, StoreOptions options, Tuning tuning, List<Crash> crashes) {
    SstAppendCount files = new SstAppendCount(disk.fileSystem());
    disk.watch((call, moment) -> crashes.forEach(crash -> crash.look(disk, call, moment)));
    try (Store store = TestStores.open(DIRECTORY, options, tuning, files)) {
      store.awaitIdle();
      checkContent(store);
    }
    disk.watch((call, moment) -> {});
    assertThat(TestChecks.run(files, DIRECTORY).findings()).isEmpty();
    return files.bytes();
  }

  private void checkContent(Store store) {
    try (Cursor cursor = store.database().cursor()) {
      for (Map.Entry<byte[], byte[]> entry : content.entrySet()) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.key()).isEqualTo(entry.getKey());
        assertThat(cursor.value()).isEqualTo(entry.getValue());
      }
      assertThat(cursor.next()).isFalse();
    }
  }

  private static Forest forest(CrashDisk disk) {
    return Manifest.recover(disk.fileSystem(), DIRECTORY).catalog().forest(1).orElseThrow();
  }

  /** What the next process makes has this number or a larger one. */
  private static long nextNumber(CrashDisk disk) {
    return Manifest.recover(disk.fileSystem(), DIRECTORY).catalog().nextNumber();
  }

  private static long bytesSince(long number, CrashDisk disk) {
    StoreFileSystem files = disk.fileSystem();
    return files.list(DIRECTORY).stream()
        .filter(name -> FileKind.SST.numberOf(name).filter(n -> n >= number).isPresent())
        .mapToLong(name -> files.size(DIRECTORY.resolve(name)))
        .sum();
  }

  private static List<Sst> since(long number, Forest forest) {
    return forest.ssts().stream().filter(sst -> sst.number() >= number).toList();
  }

  private static long bytes(List<Sst> ssts) {
    return ssts.stream().mapToLong(sst -> sst.meta().fileBytes()).sum();
  }

  private static String identity(Sst sst) {
    return sst.number() + "/" + sst.meta().uniqueId();
  }
}
