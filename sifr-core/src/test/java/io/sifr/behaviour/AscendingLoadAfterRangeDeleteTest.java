package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.testing.TestPolicies;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ascending keys are moved and not rewritten, as far as the range tombstone below them reaches. */
class AscendingLoadAfterRangeDeleteTest {
  private static final int KEYS = 20_000;

  @TempDir Path directory;

  private Store open(CompactionPolicy.Kind policy) {
    Store store =
        SmallStores.open(
            directory,
            SmallStores.options()
                .compaction(
                    TestPolicies.of(
                        policy, "growthFactor=3", "trees=3", "firstLevel=256KiB", "factor=4"))
                .build());
    for (int key : new Random(3).ints(0, KEYS).distinct().limit(KEYS).toArray()) {
      store.database().put(SmallStores.key(key), SmallStores.value(key, 1));
    }
    store.flush();
    store.awaitIdle();
    return store;
  }

  /** Deletes a range and loads it again. */
  private static void check(Store store, KeyRange range, int from, int to) {
    Database database = store.database();
    database.deleteRange(range);
    // What is dropped is not to depend on which compaction comes first.
    store.flush();
    store.awaitIdle();
    StoreStatistics then = store.statistics();
    for (int key = from; key < to; key++) {
      database.put(SmallStores.key(key), SmallStores.value(key, 1));
    }
    store.flush();
    store.awaitIdle();
    StoreStatistics now = store.statistics();
    long flushed = now.get(Metric.FLUSH_BYTES) - then.get(Metric.FLUSH_BYTES);
    assertThat(now.get(Metric.COMPACTION_BYTES) - then.get(Metric.COMPACTION_BYTES))
        .as("of %d bytes", flushed)
        .isLessThan(flushed / 10);
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, KEYS, 1));
  }

  @ParameterizedTest
  @EnumSource(names = {"SPLIT_FOREST", "LEVELED", "LAZILY_LEVELED"})
  void ofEverything(CompactionPolicy.Kind policy) {
    try (Store store = open(policy)) {
      check(store, KeyRange.all(), 0, KEYS);
    }
  }

  /** At both ends there are SSTs that were covered in part. */
  @ParameterizedTest
  @EnumSource(names = {"SPLIT_FOREST", "LEVELED"})
  void ofAPart(CompactionPolicy.Kind policy) {
    try (Store store = open(policy)) {
      store.database().compact();
      int from = KEYS / 10 + 3;
      int to = KEYS - KEYS / 10 + 3;
      check(store, KeyRange.between(SmallStores.key(from), SmallStores.key(to)), from, to);
    }
  }
}
