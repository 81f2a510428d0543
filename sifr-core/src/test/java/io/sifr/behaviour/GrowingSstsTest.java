package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.SpaceCountingFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SSTs grow with the store: it has few of them, and writes and needs hardly more for that. */
class GrowingSstsTest {
  private static final int ENTRIES = 24_000;
  private static final int FEW_SSTS = 50;
  private static final int SPLIT_UNIT = 8 << 10;
  private static final int MAX_SST = 64 << 10;
  private static final int WRITE_BUFFER = 64 << 10;
  private static final int CLEANING_THRESHOLD = 64 << 10;

  private static final Tuning TUNING =
      Tuning.DEFAULT.withSstsBeforeGrowth(FEW_SSTS).withCleaningThresholdBytes(CLEANING_THRESHOLD);
  private static final int GROWTH = 4;

  @TempDir Path directory;
  private final AtomicLong flushedBytes = new AtomicLong();
  private final AtomicLong mostBesideBytes = new AtomicLong();
  private long mostSsts;

  private StoreStatistics load(List<Integer> order, int maxSst) {
    StoreOptions options =
        SmallStores.options()
            .writeBufferBytes(WRITE_BUFFER)
            .splitUnitBytes(SPLIT_UNIT)
            .maxSstBytes(maxSst)
            .compaction(CompactionPolicy.splitForest(GROWTH))
            .compactionThreads(1)
            // A filter takes a page at least, which is much of an SST of this size.
            .filterBitsPerKey(0)
            .build();
    SpaceCountingFileSystem disk =
        new SpaceCountingFileSystem(
            new NoSyncFileSystem(new DiskFileSystem()),
            file -> file.toString().endsWith(".sst"),
            now -> mostBesideBytes.accumulateAndGet(now - flushedBytes.get(), Math::max));
    StoreListener listener =
        new StoreListener() {
          @Override
          public void flushed(FlushEvent event) {
            flushedBytes.addAndGet(event.written().bytes());
          }
        };
    try (Store store = TestStores.open(directory, options, TUNING, disk, listener)) {
      int written = 0;
      for (int i : order) {
        store.database().put(key(i), value(i, 1));
        if (++written % 500 == 0) {
          store.awaitIdle();
          mostSsts = Math.max(mostSsts, store.statistics().get(Metric.SSTS));
        }
      }
      store.flush();
      store.awaitIdle();
      for (int i = 0; i < ENTRIES; i += 997) {
        assertThat(store.database().get(key(i))).isEqualTo(value(i, 1));
      }
      return store.statistics();
    }
  }

  private static List<Integer> ascending() {
    return IntStream.range(0, ENTRIES).boxed().toList();
  }

  private static List<Integer> random() {
    List<Integer> order = new ArrayList<>(ascending());
    Collections.shuffle(order, new Random(1));
    return order;
  }

  private void assertFewSsts(StoreStatistics statistics) {
    assertThat(statistics.get(Metric.LIVE_BYTES)).isGreaterThan(10L * FEW_SSTS * SPLIT_UNIT / 2);
    assertThat(statistics.get(Metric.STAGES)).isGreaterThanOrEqualTo(3);
    assertThat(mostSsts).isGreaterThan(FEW_SSTS).isLessThanOrEqualTo(3 * FEW_SSTS);
  }

  @Test
  void anAscendingLoadLeavesFewAndIsRewrittenAboutOnce() {
    StoreStatistics statistics = load(ascending(), MAX_SST);
    assertFewSsts(statistics);
    assertThat(statistics.get(Metric.COMPACTION_BYTES))
        .isLessThan(statistics.get(Metric.FLUSH_BYTES) * 3 / 2);
    assertThat(statistics.get(Metric.MOVED_BYTES))
        .isGreaterThan(statistics.get(Metric.FLUSH_BYTES) / 2);
  }

  @Test
  void withoutGrowthItLeavesManyAndIsMoved() {
    StoreStatistics statistics = load(ascending(), SPLIT_UNIT);
    assertThat(mostSsts).isGreaterThan(6 * FEW_SSTS);
    assertThat(statistics.get(Metric.COMPACTION_BYTES))
        .isLessThan(statistics.get(Metric.FLUSH_BYTES) / 10);
  }

  /**
   * A compaction holds what it has not committed, the SST that it writes, and of each input tree
   * the SST that it is in the middle of. There is one for each stage but the last.
   */
  @Test
  void aRandomLoadLeavesFewAndNeedsLittleSpace() {
    StoreStatistics statistics = load(random(), MAX_SST);
    assertFewSsts(statistics);
    long ofOne = CLEANING_THRESHOLD + (2 + GROWTH) * (MAX_SST * 5L / 4);
    assertThat(mostBesideBytes.get())
        .isLessThan((statistics.get(Metric.STAGES) - 1) * ofOne)
        .isLessThan(statistics.get(Metric.LIVE_BYTES) / 2);
  }
}
