package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.TestPolicies;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a range delete covers is dropped with whole SSTs, which are neither read nor rewritten. */
class RangeDeleteGivesSpaceBackTest {
  private static final int KEYS = 20_000;

  @TempDir Path directory;

  private Store open(CompactionPolicy.Kind policy) {
    StoreOptions options =
        SmallStores.options()
            .compaction(TestPolicies.of(policy, "growthFactor=3", "trees=3"))
            .filterBitsPerKey(0)
            .build();
    // With guards as rare as users have them, else most of an SST would be padding.
    return SmallStores.open(directory, options, Extensions.of(options));
  }

  private static void load(Store store, long seed) {
    Database database = store.database();
    int[] keys = new Random(seed).ints(0, KEYS).distinct().limit(KEYS).toArray();
    for (int key : keys) {
      database.put(SmallStores.key(key), SmallStores.value(key, 1));
    }
    store.flush();
    store.awaitIdle();
  }

  private static void checkKeys(Store store, int version, IntPredicate isThere) {
    Map<String, String> expected = new TreeMap<>(SmallStores.filled(0, KEYS, version));
    IntStream.range(0, KEYS)
        .filter(isThere.negate())
        .forEach(key -> expected.remove(SmallStores.text(SmallStores.key(key))));
    assertThat(SmallStores.content(store.database())).isEqualTo(expected);
  }

  private static long liveBytes(Store store) {
    return store.statistics().get(Metric.LIVE_BYTES);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"SIZE_TIERED", "FIFO"},
      mode = EnumSource.Mode.EXCLUDE) // its SSTs are too large
  void ofHalfAStore(CompactionPolicy.Kind policy) {
    try (Store store = open(policy)) {
      load(store, 5);
      long before = liveBytes(store);
      StoreStatistics then = store.statistics();
      store
          .database()
          .deleteRange(KeyRange.between(SmallStores.key(KEYS / 4), SmallStores.key(3 * KEYS / 4)));
      store.flush();
      store.awaitIdle();
      StoreStatistics now = store.statistics();
      long written =
          now.get(Metric.FLUSH_BYTES)
              - then.get(Metric.FLUSH_BYTES)
              + now.get(Metric.COMPACTION_BYTES)
              - then.get(Metric.COMPACTION_BYTES);
      // The tombstone's own SST; one more compaction may have become due with its tree.
      assertThat(liveBytes(store)).as("%s", policy).isLessThan(before * 6 / 10);
      if (policy == CompactionPolicy.Kind.SPLIT_FOREST) {
        assertThat(written).isLessThanOrEqualTo(before / 100);
      }
      checkKeys(store, 1, key -> key < KEYS / 4 || key >= 3 * KEYS / 4);
    }
    try (Store store = open(policy)) {
      checkKeys(store, 1, key -> key < KEYS / 4 || key >= 3 * KEYS / 4);
    }
  }

  @Test
  void ofAWholeStore() {
    try (Store store = open(CompactionPolicy.Kind.SPLIT_FOREST)) {
      load(store, 6);
      store.database().deleteRange(KeyRange.all());
      store.flush();
      store.awaitIdle();
      assertThat(liveBytes(store)).isLessThan(50_000);
      assertThat(store.database().get(SmallStores.key(7))).isNull();
      // Of ascending keys that are put afterwards nothing has to be rewritten.
      StoreStatistics then = store.statistics();
      for (int key = 0; key < KEYS; key++) {
        store.database().put(SmallStores.key(key), SmallStores.value(key, 2));
      }
      store.flush();
      store.awaitIdle();
      assertThat(
              store.statistics().get(Metric.COMPACTION_BYTES) - then.get(Metric.COMPACTION_BYTES))
          .isLessThan(liveBytes(store) / 10);
      checkKeys(store, 2, key -> true);
    }
  }

  /** A snapshot that is older keeps everything, until it is closed. */
  @Test
  void notWhileASnapshotSeesIt() {
    try (Store store = open(CompactionPolicy.Kind.SPLIT_FOREST)) {
      load(store, 7);
      long before = liveBytes(store);
      try (Snapshot snapshot = store.snapshot()) {
        store.database().deleteRange(KeyRange.all());
        store.flush();
        store.awaitIdle();
        assertThat(liveBytes(store)).isGreaterThanOrEqualTo(before);
        assertThat(store.database().get(SmallStores.key(7))).isNull();
      }
      for (int i = 0; liveBytes(store) >= 50_000; i++) {
        assertThat(i).as("tenths of a second").isLessThan(600);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
      checkKeys(store, 1, key -> false);
    }
  }
}
