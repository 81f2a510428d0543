package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.testing.Padded;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that are written in ascending order are flushed once, whatever the write buffer. */
class AscendingLoadIsMovedTest {
  private static final int VALUE_BYTES = 100;
  private static final int LEAST_BYTES = 6 << 20;
  private static final int GROWTH_FACTOR = 4;

  @TempDir Path directory;

  private static StoreOptions.Builder options(int writeBufferBytes) {
    return StoreOptions.builder()
        .writeBufferBytes(writeBufferBytes)
        .compaction(CompactionPolicy.splitForest(GROWTH_FACTOR))
        // A filter takes a page at least, which is much of an SST of 64 KiB.
        .filterBitsPerKey(0)
        .durability(Durability.NONE);
  }

  private static void load(Store store, long bytes) {
    byte[] value = new byte[VALUE_BYTES];
    new Random(1).nextBytes(value);
    for (long i = 0; store.statistics().get(Metric.USER_BYTES) < bytes; ) {
      for (long end = i + 1000; i < end; i++) {
        store.database().put(("user" + Padded.number(i, 19)).getBytes(US_ASCII), value);
      }
    }
    store.awaitIdle();
  }

  @ParameterizedTest(name = "write buffer of {0} KiB")
  @ValueSource(ints = {64, 128, 256, 512, 1024, 4096, 16384})
  void withEachWriteBuffer(int kib) {
    // Enough for a merge of the first stage.
    long bytes = Math.max(LEAST_BYTES, GROWTH_FACTOR * (kib * 1024L));
    try (Store store = SmallStores.open(directory, options(kib << 10).build())) {
      load(store, bytes);
      store.flush();
      StoreStatistics statistics = store.statistics();
      // The last flush is of what was left; if that is little it is joined with its neighbour.
      assertThat(statistics.get(Metric.COMPACTION_BYTES))
          .describedAs("%s", statistics)
          .isLessThanOrEqualTo(kib * 1024L);
      assertThat(statistics.get(Metric.MOVED_BYTES)).isPositive();
      // The last page of data of each SST may be nearly empty.
      assertThat(statistics.get(Metric.WRITE_AMPLIFICATION)).isLessThanOrEqualTo(1.03 + 4.0 / kib);
    }
  }
}
