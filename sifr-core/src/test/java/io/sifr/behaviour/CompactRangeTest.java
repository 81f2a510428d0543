package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.TestPolicies;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompactRangeTest {
  private static final Tuning TUNING = Tuning.DEFAULT.withCleaningThresholdBytes(16 << 10);

  private static final int KEYS = 2000;
  private static final int FROM = 700;
  private static final int TO = 1100;
  private static final KeyRange RANGE =
      KeyRange.between(SmallStores.key(FROM), SmallStores.key(TO));
  private static final KeySpan SPAN = KeySpan.between(SmallStores.key(FROM), SmallStores.key(TO));

  @TempDir Path directory;
  private final Map<String, String> expected = new TreeMap<>();

  private static StoreOptions.Builder options(CompactionPolicy.Kind policy) {
    return SmallStores.options().compaction(TestPolicies.small(policy, 3));
  }

  /** Nothing is due. */
  private static StoreOptions quiet() {
    return SmallStores.options()
        .compaction(CompactionPolicy.splitForest(64))
        .maxSpaceAmplification(0)
        .build();
  }

  private void write(Store store) {
    Random random = new Random(7);
    Database database = store.database();
    for (int i = 0; i < 12_000; i++) {
      int key = random.nextInt(KEYS);
      String name = SmallStores.text(SmallStores.key(key));
      if (random.nextInt(4) == 0) {
        database.delete(SmallStores.key(key));
        expected.remove(name);
      } else {
        database.put(SmallStores.key(key), SmallStores.value(key, i));
        expected.put(name, SmallStores.text(SmallStores.value(key, i)));
      }
    }
    store.flush();
    store.awaitIdle();
  }

  /** The forest of a store that is closed. */
  private Forest forest() {
    return Manifest.recover(new NoSyncFileSystem(new DiskFileSystem()), directory)
        .catalog()
        .forests()
        .get(0);
  }

  private static List<LogicalTree> holding(Forest forest) {
    return forest.byPriority().stream().filter(tree -> tree.holdsIn(SPAN)).toList();
  }

  @ParameterizedTest
  @EnumSource(names = "FIFO", mode = EnumSource.Mode.EXCLUDE) // it merges nothing
  void leavesOneRunWhateverThePolicy(CompactionPolicy.Kind policy) {
    try (Store store = SmallStores.open(directory, options(policy).build(), TUNING)) {
      write(store);
      store.database().compact(RANGE);
      assertThat(SmallStores.content(store.database())).isEqualTo(expected);
    }
    assertThat(holding(forest())).hasSize(1);
    try (Store store = SmallStores.open(directory, options(policy).build(), TUNING)) {
      store.awaitIdle();
      write(store);
      assertThat(SmallStores.content(store.database())).isEqualTo(expected);
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = "FIFO", mode = EnumSource.Mode.EXCLUDE) // it merges nothing
  void writesNothingOutsideOfIt(CompactionPolicy.Kind policy) {
    try (Store store = SmallStores.open(directory, options(policy).build(), TUNING)) {
      write(store);
    }
    // However much the policy has merged, several trees hold something.
    try (Store store = SmallStores.open(directory, quiet())) {
      write(store);
    }
    Forest before = forest();
    assertThat(holding(before)).hasSizeGreaterThan(1);
    try (Store store = SmallStores.open(directory, quiet())) {
      store.database().compact(RANGE);
      assertThat(SmallStores.content(store.database())).isEqualTo(expected);
    }
    Forest after = forest();
    assertThat(holding(after)).hasSize(1);
    assertThat(after.compactions()).isEmpty();
    Set<Long> known = before.ssts().stream().map(Sst::number).collect(Collectors.toSet());
    for (Sst sst : after.ssts()) {
      if (!known.contains(sst.number())) {
        assertThat(SPAN.contains(sst.smallestKey(), sst.largestKey())).isTrue();
        assertThat(sst.meta().tombstones()).isZero();
      }
    }
    assertThat(outside(after)).isEqualTo(outside(before));
  }

  /** By tree, the SSTs it holds outside of the span. */
  private static Map<Long, List<Long>> outside(Forest forest) {
    Map<Long, List<Long>> outside = new TreeMap<>();
    for (LogicalTree tree : forest.byPriority()) {
      List<Long> ssts =
          tree.slices().stream()
              .filter(slice -> !SPAN.contains(slice.smallestKey(), slice.largestKey()))
              .map(SstSlice::sst)
              .map(Sst::number)
              .distinct()
              .toList();
      if (!ssts.isEmpty()) {
        outside.put(tree.id(), ssts);
      }
    }
    return outside;
  }

  @Test
  void allKeysAreCompactedAsWithoutARange() {
    try (Store store = SmallStores.open(directory)) {
      write(store);
      store.database().compact(KeyRange.all());
      assertThat(store.database().forest().trees()).isEqualTo(1);
      assertThat(SmallStores.content(store.database())).isEqualTo(expected);
    }
  }

  @Test
  void anOpenEndReachesToTheLastKey() {
    try (Store store = SmallStores.open(directory, quiet())) {
      write(store);
      store.database().compact(KeyRange.lessThan(SmallStores.key(FROM)));
      store.database().compact(KeyRange.atLeast(SmallStores.key(FROM)));
      store.database().compact(KeyRange.prefix(SmallStores.bytes("nothing")));
      assertThat(store.database().forest().trees()).isEqualTo(1);
      assertThat(SmallStores.content(store.database())).isEqualTo(expected);
    }
  }

  @Test
  void nothingIsCompactedInAnEmptyRange() {
    try (Store store = SmallStores.open(directory, quiet())) {
      write(store);
      int ssts = store.database().forest().ssts();
      store.database().compact(KeyRange.between(SmallStores.key(TO), SmallStores.key(FROM)));
      store.database().compact(KeyRange.between(SmallStores.key(TO), SmallStores.key(TO)));
      store.database().compact(KeyRange.lessThan(new byte[0]));
      assertThat(store.database().forest().ssts()).isEqualTo(ssts);
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isZero();
    }
  }

  @Test
  void aClosedStoreAndADroppedDatabaseRefuse() {
    Store store = SmallStores.open(directory);
    Database dropped = store.openOrCreateDatabase("dropped");
    store.dropDatabase("dropped");
    assertThatThrownBy(() -> dropped.compact(RANGE)).isInstanceOf(IllegalStateException.class);
    Database database = store.database();
    store.close();
    assertThatThrownBy(() -> database.compact(RANGE)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void itWaitsWhileMergesArePaused() throws InterruptedException {
    try (Store store = SmallStores.open(directory, quiet())) {
      write(store);
      store.pauseCompactions();
      Thread compacting = new Thread(() -> store.database().compact(RANGE));
      compacting.start();
      Waiting.until("it waits", () -> compacting.getState() == Thread.State.WAITING);
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isZero();
      store.resumeCompactions();
      compacting.join();
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isPositive();
    }
  }
}
