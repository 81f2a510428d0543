package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Who sets a small {@code blockCacheBytes} means blocks: indexes and filters are in memory all the
 * same, or are used in the mapping of their file.
 */
class SmallCacheIsNoTrapTest {
  private static final int KEYS = 3000;

  @TempDir Path directory;

  private static void getAll(Store store) {
    for (int key = 0; key < 2 * KEYS; key++) {
      byte[] value = store.database().get(SmallStores.key(key));
      assertThat(value)
          .as("key %d", key)
          .isEqualTo(key % 2 == 0 ? SmallStores.value(key, 1) : null);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aGetReadsOneBlockAndNoIndexOrFilter(ReadMode mode) {
    StoreOptions options = SmallStores.options().readMode(mode).blockCacheBytes(8 << 10).build();
    boolean isMapped = mode == ReadMode.MMAP || mode == ReadMode.AUTO;
    try (Store store = SmallStores.open(directory, options)) {
      for (int i = 0; i < KEYS; i++) {
        int key = (int) ((long) i * 1237 % KEYS) * 2;
        store.database().put(SmallStores.key(key), SmallStores.value(key, 1));
      }
      store.flush();
      store.awaitIdle();
      getAll(store);
      StoreStatistics before = store.statistics();
      getAll(store);
      StoreStatistics after = store.statistics();
      assertThat(after.get(Metric.TREES)).isGreaterThan(1);
      assertThat(after.get(Metric.FILE_READS) - before.get(Metric.FILE_READS))
          .as("reads of %d keys that are there and as many that are not", KEYS)
          .isBetween(isMapped ? 0L : KEYS / 2L, isMapped ? 0L : KEYS + KEYS / 10L);
      assertThat(after.get(Metric.FILTER_REJECTS) - before.get(Metric.FILTER_REJECTS))
          .isGreaterThan(KEYS);
      assertThat(after.get(Metric.REREADS)).isZero();
      assertThat(after.get(Metric.INDEX_BYTES)).isPositive();
      assertThat(after.get(Metric.FILTER_BYTES)).isPositive();
    }
  }
}
