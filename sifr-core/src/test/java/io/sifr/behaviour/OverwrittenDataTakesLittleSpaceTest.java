package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.CompactionReason;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.TestPolicies;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is overwritten and deleted takes no more space than the setting allows. */
class OverwrittenDataTakesLittleSpaceTest {
  private static final int ENTRIES = 3000;
  private static final int OVERWRITTEN = 20_000;
  private static final double MOST = 1.5;

  @TempDir Path directory;

  /** How far the estimate may be from the truth. */
  private static double error(CompactionPolicy.Kind policy) {
    // An SST has a sample of 16 to 32 keys. A tree may be one; elsewhere there are some 40.
    return policy == CompactionPolicy.Kind.SIZE_TIERED ? 0.5 : 0.25;
  }

  private Store open(CompactionPolicy.Kind policy, double maxSpaceAmplification) {
    return SmallStores.open(
        directory,
        SmallStores.options()
            .compaction(TestPolicies.of(policy, "growthFactor=3", "trees=3"))
            .maxSpaceAmplification(maxSpaceAmplification)
            .build());
  }

  private static long spaceMerges(Store store) {
    return store.statistics().get(Metric.COMPACTIONS).getOrDefault(CompactionReason.SPACE, 0L);
  }

  @ParameterizedTest
  @EnumSource(names = "FIFO", mode = EnumSource.Mode.EXCLUDE) // it merges nothing
  void overwrites(CompactionPolicy.Kind policy) {
    Random random = new Random(1);
    StoreOptions options =
        SmallStores.options()
            .compaction(TestPolicies.of(policy, "growthFactor=3", "trees=3"))
            .maxSpaceAmplification(MOST)
            .writeBufferBytes(256 << 10)
            .splitUnitBytes(64 << 10)
            .build();
    // With guards as rare as users have them: more would cut the data into SSTs of little but
    // padding, which is no data that was overwritten.
    try (Store store = SmallStores.open(directory, options, Extensions.of(options))) {
      SmallStores.fill(store.database(), 0, OVERWRITTEN, 0);
      store.flush();
      store.database().compact();
      long data = store.statistics().get(Metric.LIVE_BYTES);
      for (int version = 1; version <= 3 * OVERWRITTEN; version++) {
        int entry = random.nextInt(OVERWRITTEN);
        store.database().put(SmallStores.key(entry), SmallStores.value(entry, version % 10));
        if (version % 1000 == 0) {
          store.awaitIdle();
          StoreStatistics space = store.statistics();
          assertThat((double) space.get(Metric.LIVE_BYTES))
              .describedAs("after %d overwrites", version)
              .isLessThan(MOST * (1 + error(policy)) * data);
          assertThat((double) space.get(Metric.ESTIMATED_DATA_BYTES))
              .describedAs("after %d overwrites", version)
              .isCloseTo((double) data, within(error(policy) * data));
        }
      }
    }
  }

  @Test
  void withoutTheLimitTheyTakeMore() {
    try (Store store = open(CompactionPolicy.Kind.SPLIT_FOREST, 0)) {
      long most = 0;
      for (int version = 0; version < 5; version++) {
        SmallStores.fill(store.database(), 0, ENTRIES, version);
        store.awaitIdle();
        most = Math.max(most, store.statistics().get(Metric.LIVE_BYTES));
      }
      store.database().compact();
      assertThat(most).isGreaterThan(2 * store.statistics().get(Metric.LIVE_BYTES));
      assertThat(spaceMerges(store)).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(names = "FIFO", mode = EnumSource.Mode.EXCLUDE) // it merges nothing
  void allIsDeleted(CompactionPolicy.Kind policy) {
    try (Store store = open(policy, MOST)) {
      SmallStores.fill(store.database(), 0, ENTRIES, 0);
      for (int i = 0; i < ENTRIES; i++) {
        store.database().delete(SmallStores.key(i));
      }
      store.flush();
      store.awaitIdle();
      // At most half a write buffer of dead entries is left.
      assertThat(store.statistics().get(Metric.LIVE_BYTES)).isLessThanOrEqualTo(32 << 10);
      assertThat(SmallStores.content(store.database())).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = "FIFO", mode = EnumSource.Mode.EXCLUDE) // it merges nothing
  void newKeysCostNothingMore(CompactionPolicy.Kind policy) {
    StoreStatistics unlimited = load(policy, 0);
    StoreStatistics limited = load(policy, 1.1);
    assertThat(limited.get(Metric.FLUSH_BYTES)).isEqualTo(unlimited.get(Metric.FLUSH_BYTES));
    assertThat(limited.get(Metric.COMPACTION_BYTES))
        .isEqualTo(unlimited.get(Metric.COMPACTION_BYTES));
    assertThat(limited.get(Metric.COMPACTIONS)).isEqualTo(unlimited.get(Metric.COMPACTIONS));
  }

  /** Each flush is followed by all that is due, on one thread, so that each load does the same. */
  private StoreStatistics load(CompactionPolicy.Kind policy, double maxSpaceAmplification) {
    StoreOptions options =
        SmallStores.options()
            .compaction(TestPolicies.of(policy, "growthFactor=3", "trees=3"))
            .compactionThreads(1)
            .maxSpaceAmplification(maxSpaceAmplification)
            .build();
    Path own = directory.resolve("limit" + maxSpaceAmplification);
    try (Store store = SmallStores.open(own, options)) {
      for (int entry = 0; entry < ENTRIES; entry++) {
        int drawn = (int) (entry * 7919L % ENTRIES);
        store.database().put(SmallStores.key(drawn), SmallStores.value(drawn, 1));
        if (entry % 100 == 99) {
          store.flush();
          store.awaitIdle();
        }
      }
      assertThat(spaceMerges(store)).isZero();
      return store.statistics();
    }
  }

  @Test
  void whatASnapshotSeesIsNotMergedAgainAndAgain() {
    try (Store store = open(CompactionPolicy.Kind.SPLIT_FOREST, MOST)) {
      SmallStores.fill(store.database(), 0, ENTRIES, 0);
      try (Snapshot snapshot = store.snapshot()) {
        for (int i = 0; i < ENTRIES; i++) {
          store.database().delete(SmallStores.key(i));
        }
        store.flush();
        store.awaitIdle();
        long merges = spaceMerges(store);
        assertThat(merges).isPositive();
        // New keys, of which none is dead, beside twice as much that is only there for the
        // snapshot.
        SmallStores.fill(store.database(), ENTRIES, 2 * ENTRIES, 0);
        store.awaitIdle();
        assertThat(spaceMerges(store)).isLessThanOrEqualTo(merges + 1);
      }
    }
  }

  @Test
  void mergesGoOnAfterReopening() {
    try (Store store = open(CompactionPolicy.Kind.SPLIT_FOREST, 0)) {
      for (int version = 0; version < 5; version++) {
        SmallStores.fill(store.database(), 0, ENTRIES, version);
      }
      store.flush();
      store.awaitIdle();
      assertThat(store.statistics().get(Metric.SPACE_AMPLIFICATION)).isGreaterThan(1.7);
    }
    try (Store store = open(CompactionPolicy.Kind.SPLIT_FOREST, MOST)) {
      store.awaitIdle();
      assertThat(spaceMerges(store)).isPositive();
      assertThat(store.statistics().get(Metric.SPACE_AMPLIFICATION)).isLessThan(MOST);
      assertThat(SmallStores.content(store.database()))
          .isEqualTo(SmallStores.filled(0, ENTRIES, 4));
    }
  }
}
