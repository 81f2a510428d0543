package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.TestPolicies;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Beyond their limit a range delete waits, but never for what cannot be. */
class RangeTombstonesAreBoundedTest {
  private static final int KEYS = 6_000;
  private static final long LIMIT = 16 << 10;

  private static final Tuning TUNING = Tuning.DEFAULT.withRangeTombstoneBytes(LIMIT);

  @TempDir Path directory;
  private final Map<String, String> expected = new TreeMap<>();

  private Store open(CompactionPolicy.Kind policy) {
    Store store =
        SmallStores.open(
            directory,
            SmallStores.options()
                .compaction(TestPolicies.of(policy, "growthFactor=3", "trees=3"))
                .build(),
            TUNING);
    for (int key : new Random(3).ints(0, KEYS).distinct().limit(KEYS).toArray()) {
      store.database().put(SmallStores.key(key), SmallStores.value(key, 1));
    }
    store.flush();
    store.awaitIdle();
    expected.putAll(SmallStores.filled(0, KEYS, 1));
    return store;
  }

  private void delete(Database database, int key) {
    database.deleteRange(KeyRange.between(SmallStores.key(key), SmallStores.key(key + 2)));
    for (int i = key; i < key + 2; i++) {
      expected.remove(SmallStores.text(SmallStores.key(i)));
    }
  }

  private static long bytes(Store store) {
    return store.statistics().get(Metric.RANGE_TOMBSTONE_BYTES);
  }

  @ParameterizedTest
  @EnumSource(names = "FIFO", mode = EnumSource.Mode.EXCLUDE) // it merges nothing
  void withinTheLimit(CompactionPolicy.Kind policy) {
    try (Store store = open(policy)) {
      long most = 0;
      for (int i = 0; i < 600; i++) {
        delete(store.database(), i * 7919 % (KEYS - 2));
        most = Math.max(most, bytes(store));
      }
      // What a flush or a guard cuts in two counts twice, until the next range delete.
      assertThat(most).isBetween(LIMIT / 2, 2 * LIMIT);
      assertThat(SmallStores.content(store.database())).isEqualTo(expected);
    }
  }

  @Test
  void notIfASnapshotNeedsThem() {
    try (Store store = open(CompactionPolicy.Kind.SPLIT_FOREST)) {
      try (Snapshot snapshot = store.snapshot()) {
        for (int i = 0; i < 600; i++) {
          delete(store.database(), 3 * i);
        }
        assertThat(bytes(store)).isGreaterThan(2 * LIMIT);
        assertThat(snapshot).isNotNull();
      }
      delete(store.database(), KEYS - 2);
      for (int i = 0; bytes(store) > 2 * LIMIT; i++) { // at most until the next attempt
        assertThat(i).isLessThan(200);
        delete(store.database(), 2_000 + 3 * i);
      }
      assertThat(SmallStores.content(store.database())).isEqualTo(expected);
    }
  }

  /** What snapshots have needed at some time is no measure of what they will. */
  @Test
  void closeToTheLimitAgainWhenOthersHaveDroppedThem() {
    try (Store store = open(CompactionPolicy.Kind.SPLIT_FOREST)) {
      try (Snapshot snapshot = store.snapshot()) {
        for (int i = 0; i < 600; i++) {
          delete(store.database(), 3 * i);
        }
        assertThat(snapshot).isNotNull();
      }
      store.database().compact();
      assertThat(bytes(store)).isLessThan(LIMIT);
      long most = 0;
      for (int i = 0; i < 600; i++) {
        delete(store.database(), 2_000 + 3 * i);
        most = Math.max(most, bytes(store));
      }
      assertThat(most).isBetween(LIMIT, 2 * LIMIT);
    }
  }

  @Test
  void notWhileMergesArePaused() {
    try (Store store = open(CompactionPolicy.Kind.SPLIT_FOREST)) {
      store.pauseCompactions();
      for (int i = 0; i < 600; i++) {
        delete(store.database(), 3 * i);
      }
      assertThat(bytes(store)).isGreaterThan(2 * LIMIT);
      store.resumeCompactions();
      for (int i = 0; bytes(store) > LIMIT; i++) {
        assertThat(i).isLessThan(200);
        delete(store.database(), 2_000 + 3 * i);
      }
      assertThat(SmallStores.content(store.database())).isEqualTo(expected);
    }
  }

  @Test
  void theirNumberAndBytesAreToldWhereverTheyAre() {
    try (Store store = open(CompactionPolicy.Kind.SPLIT_FOREST)) {
      StoreStatistics none = store.statistics();
      assertThat(none.get(Metric.RANGE_TOMBSTONES)).isZero();
      assertThat(none.get(Metric.RANGE_TOMBSTONE_BYTES)).isZero();
      for (int i = 0; i < 10; i++) {
        delete(store.database(), 100 * i);
      }
      StoreStatistics inMemory = store.statistics();
      assertThat(inMemory.get(Metric.RANGE_TOMBSTONES)).isEqualTo(10);
      assertThat(inMemory.get(Metric.RANGE_TOMBSTONE_BYTES)).isBetween(500L, 3_000L);
      store.flush();
      StoreStatistics inSsts = store.statistics();
      assertThat(inSsts.get(Metric.RANGE_TOMBSTONES)).isEqualTo(10);
      assertThat(inSsts.get(Metric.RANGE_TOMBSTONE_BYTES)).isBetween(500L, 3_000L);
      store.database().compact();
      StoreStatistics gone = store.statistics();
      assertThat(gone.get(Metric.RANGE_TOMBSTONES)).isZero();
      assertThat(gone.get(Metric.RANGE_TOMBSTONE_BYTES)).isZero();
    }
  }
}
