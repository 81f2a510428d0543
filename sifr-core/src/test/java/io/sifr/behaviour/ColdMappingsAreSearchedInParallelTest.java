package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.ReadMode;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.io.MappedRegion;
import io.sifr.testing.DrawnStore;
import io.sifr.testing.ForwardingFileSystem;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads of a mapped store of several trees, of whose pages the system says what a test wants. */
class ColdMappingsAreSearchedInParallelTest {
  private static final int KEYS = 2_000;
  private static final int TREES = 3;

  /** In parallel, however quick reads turn out to be. */
  private static final ReadOptions PARALLEL =
      ReadOptions.builder().searchScheme(SearchScheme.FIXED_COUNT).build();

  @TempDir Path directory;

  private final Pages pages = new Pages();

  private static byte[] key(int i) {
    return "key%08d".formatted(i).getBytes(US_ASCII);
  }

  /** The round in which a key was put last; all rounds have all keys but those of one residue. */
  private static int lastRound(int i) {
    return i % TREES == TREES - 1 ? TREES - 2 : TREES - 1;
  }

  private Store open() {
    return TestStores.open(
        directory,
        StoreOptions.builder()
            .readMode(ReadMode.MMAP)
            .filterBitsPerKey(0)
            .compaction(CompactionPolicy.splitForest(8, true))
            .build(),
        pages);
  }

  @BeforeEach
  void write() {
    try (Store store = open()) {
      for (int round = 0; round < TREES; round++) {
        for (int i = 0; i < KEYS; i++) {
          if (i % TREES != round) {
            store.database().put(key(i), new byte[] {(byte) round, (byte) i});
          }
        }
        store.flush();
      }
      assertThat(store.statistics().get(Metric.TREES)).isEqualTo(TREES);
    }
  }

  private static void getAll(Store store) {
    for (int i = 0; i < KEYS; i++) {
      assertThat(store.database().get(key(i))).containsExactly((byte) lastRound(i), (byte) i);
      assertThat(store.database().get(key(KEYS + i))).isNull();
    }
  }

  private static long handOffs(Store store) {
    StoreStatistics statistics = store.statistics();
    return statistics.get(Metric.HAND_OFFS);
  }

  @Test
  void coldBlocksAreReadByOtherThreads() {
    try (Store store = open()) {
      pages.areCold = true;
      getAll(store);
      assertThat(handOffs(store)).isPositive();
    }
  }

  @Test
  void seeksOfColdBlocksAreHandedOver() {
    try (Store store = open()) {
      pages.areCold = true;
      getAll(store); // from now on all parts of the indexes are in memory
      long before = handOffs(store);
      for (int i = 0; i < KEYS; i += 50) {
        try (Cursor cursor = store.database().cursor(KeyRange.all(), PARALLEL)) {
          assertThat(cursor.seek(key(i))).isTrue();
          assertThat(cursor.key()).isEqualTo(key(i));
          assertThat(cursor.value()).containsExactly((byte) lastRound(i), (byte) i);
        }
      }
      assertThat(handOffs(store)).isGreaterThan(before);
    }
  }

  @Test
  void whereAllIsInMemoryNothingIsHandedOverAndTheSystemIsHardlyEverAsked() {
    try (Store store = open()) {
      getAll(store);
      pages.asked.set(0);
      for (int round = 0; round < 5; round++) {
        getAll(store);
      }
      assertThat(handOffs(store)).isZero();
      // One block in 1,024 of those searched is expected.
      assertThat(pages.asked.get()).isLessThan(5 * KEYS * TREES / 50);
    }
  }

  @Test
  void whatIsEvictedLaterIsNoticed() {
    try (Store store = open()) {
      getAll(store);
      long before = handOffs(store);
      pages.areCold = true;
      for (int round = 0; round < 50 && handOffs(store) == before; round++) {
        getAll(store);
      }
      assertThat(handOffs(store)).isGreaterThan(before);
    }
  }

  /** Files of which no page is in memory if the test says so. */
  private static final class Pages extends ForwardingFileSystem {
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean areCold;

    Pages() {
      super(DrawnStore.FILES);
    }

    @Override
    public MappedRegion mapForRead(Path file, long size) {
      MappedRegion region = super.mapForRead(file, size);
      return new ForwardingMappedRegion(region) {
        @Override
        public boolean isInMemory(int from, int length) {
          asked.incrementAndGet();
          assertThat(length).isPositive();
          assertThat(from + length).isLessThanOrEqualTo(region.buffer().capacity());
          return !areCold;
        }
      };
    }
  }
}
