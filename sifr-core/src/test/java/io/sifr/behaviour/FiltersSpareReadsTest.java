package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.Finding;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.dump.DumpedRecord;
import io.sifr.inspect.dump.FileDump;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters answer for SSTs that do not hold a key. */
class FiltersSpareReadsTest {
  private static final int KEYS = 3000;

  @TempDir Path directory;

  private static StoreOptions options(int bitsPerKey) {
    return SmallStores.options().filterBitsPerKey(bitsPerKey).build();
  }

  /** Keys in no order, so that every tree may hold every key; those that end in 7 are deleted. */
  private static void load(Store store) {
    for (int i = 0; i < KEYS; i++) {
      int key = (int) ((long) i * 1237 % KEYS) * 2;
      store.database().put(SmallStores.key(key), SmallStores.value(key, 1));
    }
    for (int key = 0; key < 2 * KEYS; key += 14) {
      store.database().delete(SmallStores.key(key));
    }
    store.flush();
    store.awaitIdle();
  }

  private static void requireAnswers(Store store) {
    for (int key = 0; key < 2 * KEYS; key++) {
      boolean isThere = key % 2 == 0 && key % 14 != 0;
      assertThat(store.database().get(SmallStores.key(key)))
          .as("key %d", key)
          .isEqualTo(isThere ? SmallStores.value(key, 1) : null);
    }
  }

  private static void requireSpares(Store store) {
    StoreStatistics before = store.statistics();
    requireAnswers(store);
    StoreStatistics after = store.statistics();
    assertThat(after.get(Metric.TREES)).isGreaterThan(1);
    long rejects = after.get(Metric.FILTER_REJECTS) - before.get(Metric.FILTER_REJECTS);
    long useless =
        after.get(Metric.FILTER_FALSE_POSITIVES) - before.get(Metric.FILTER_FALSE_POSITIVES);
    assertThat(rejects).isGreaterThan(KEYS);
    assertThat(useless).isLessThan(rejects / 30);
    assertThat(after.get(Metric.FILTER_BYTES) + after.get(Metric.INDEX_BYTES))
        .isLessThanOrEqualTo(after.get(Metric.BLOCK_CACHE_BYTES));
  }

  private void requireSound() {
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void afterLoadingAndWhenTheStoreIsOpenedAgain(ReadMode mode) {
    StoreOptions options = SmallStores.options().readMode(mode).build();
    try (Store store = SmallStores.open(directory, options)) {
      load(store);
      requireSpares(store);
    }
    requireSound();
    try (Store store = SmallStores.open(directory, options)) {
      requireSpares(store);
      store.database().compact();
      requireAnswers(store);
    }
    requireSound();
  }

  /** A caller that is not to wait for blocks is not to wait for filters either. */
  @Test
  void anAsynchronousGetReadsNoFilterOnTheCallersThread() {
    try (Store store = SmallStores.open(directory, options(10))) {
      load(store);
    }
    Set<Thread> readers = ConcurrentHashMap.newKeySet();
    StoreFileSystem files =
        new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())) {
          @Override
          public RandomReadFile openForRead(Path file) {
            RandomReadFile opened = super.openForRead(file);
            return new RandomReadFile() {
              @Override
              public long size() {
                return opened.size();
              }

              @Override
              public void readFully(ByteBuffer target, long offset) {
                readers.add(Thread.currentThread());
                opened.readFully(target, offset);
              }

              @Override
              public void close() {
                opened.close();
              }
            };
          }
        };
    StoreOptions options =
        SmallStores.options().readMode(ReadMode.POSITIONAL).blockCacheBytes(48 << 10).build();
    try (Store store = TestStores.open(directory, options, files)) {
      readers.clear(); // of opening
      for (int key = 0; key < 2 * KEYS; key += 2) {
        store.database().getAsync(SmallStores.key(key)).join();
      }
      assertThat(readers).isNotEmpty().doesNotContain(Thread.currentThread());
    }
  }

  @Test
  void withoutFiltersNothingIsCounted() throws IOException {
    try (Store store = SmallStores.open(directory, options(0))) {
      load(store);
      requireAnswers(store);
      assertThat(store.statistics().get(Metric.FILTER_REJECTS)).isZero();
      assertThat(store.statistics().get(Metric.FILTER_FALSE_POSITIVES)).isZero();
      assertThat(store.statistics().get(Metric.FILTER_BYTES)).isZero();
    }
    assertThat(filters()).isEmpty();
  }

  @Test
  void aStoreThatWasWrittenWithoutGetsThemWithItsCompactions() {
    try (Store store = SmallStores.open(directory, options(0))) {
      load(store);
    }
    // What is overwritten below would be merged into one tree, where there is nothing to spare.
    StoreOptions withFilters =
        SmallStores.options().filterBitsPerKey(10).maxSpaceAmplification(0).build();
    try (Store store = SmallStores.open(directory, withFilters)) {
      requireAnswers(store);
      assertThat(store.statistics().get(Metric.FILTER_REJECTS)).isZero();
      store.database().compact();
      load(store);
      requireSpares(store);
    }
    requireSound();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 32})
  void withOtherBitsAKeyThanBefore(int bits) throws IOException {
    try (Store store = SmallStores.open(directory, options(10))) {
      load(store);
    }
    long before = filterBytes();
    try (Store store = SmallStores.open(directory, options(bits))) {
      requireSpares(store);
      store.database().compact();
      requireAnswers(store);
    }
    assertThat(filterBytes() > before).isEqualTo(bits > 10);
    requireSound();
  }

  /**
   * Those of the last stage spare the fewest reads, and take the most memory. An SST keeps its
   * filter when it is moved, and when there are more stages than before.
   */
  @Test
  void earlierStagesHaveMoreBitsAKey() throws IOException {
    try (Store store = SmallStores.open(directory, options(10))) {
      load(store);
      assertThat(store.database().forest().stages()).hasSizeGreaterThan(1);
    }
    Set<Long> bits = new TreeSet<>();
    for (DumpedRecord filter : filters()) {
      bits.add((Long) Objects.requireNonNull(filter.fields().get("bitsPerKey")));
    }
    assertThat(bits)
        .contains(10L)
        .hasSizeGreaterThan(1)
        .allSatisfy(number -> assertThat(number).isIn(10L, 12L, 14L, 16L, 18L));
  }

  private List<DumpedRecord> filters() throws IOException {
    List<DumpedRecord> filters = new ArrayList<>();
    for (Path file : SmallStores.files(directory, ".sst")) {
      filters.addAll(filters(file));
    }
    return filters;
  }

  private static List<DumpedRecord> filters(Path file) throws IOException {
    List<DumpedRecord> filters = new ArrayList<>();
    FileDump.dump(
        file,
        piece -> {
          if (piece.kind().equals("filter")) {
            filters.add(piece);
          }
        });
    return filters;
  }

  private long filterBytes() throws IOException {
    return filters().stream()
        .mapToLong(filter -> (Long) Objects.requireNonNull(filter.fields().get("blocks")))
        .sum();
  }

  /** Every answer is right without them, and the check names the damage. */
  @Test
  void theirDamageCostsNoData() throws IOException {
    try (Store store = SmallStores.open(directory, options(10))) {
      load(store);
    }
    List<Path> files = SmallStores.files(directory, ".sst");
    for (Path file : files) {
      byte[] bytes = Files.readAllBytes(file);
      for (DumpedRecord filter : filters(file)) {
        bytes[(int) filter.offset() + 17] ^= 8;
      }
      Files.write(file, bytes);
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .extracting(Finding::file)
        .containsExactlyInAnyOrderElementsOf(files);
    try (Store store = SmallStores.open(directory, options(10))) {
      requireAnswers(store);
      store.database().compact();
      requireAnswers(store);
    }
    requireSound();
  }
}
