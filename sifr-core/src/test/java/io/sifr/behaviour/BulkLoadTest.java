package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.BulkLoader;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries in any order, sorted on disk and added at once. */
class BulkLoadTest {
  /** The least there can be. */
  private static final int LITTLE = 1 << 16;

  private static final int MUCH = 64 << 20;

  @TempDir Path directory;

  private Store open() {
    return SmallStores.open(directory.resolve("store"));
  }

  private List<Path> ssts() {
    return SmallStores.files(directory.resolve("store"), ".sst");
  }

  private void assertSound() {
    assertThat(StoreCheck.run(directory.resolve("store"), CheckProgress.NONE).findings()).isEmpty();
  }

  private static void assertHolds(Database database, Map<byte[], byte[]> expected) {
    try (Cursor cursor = database.cursor()) {
      for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.key()).isEqualTo(entry.getKey());
        assertThat(cursor.value()).isEqualTo(entry.getValue());
      }
      assertThat(cursor.next()).isFalse();
    }
    expected.forEach((key, value) -> assertThat(database.get(key)).isEqualTo(value));
  }

  @ParameterizedTest
  @CsvSource({LITTLE + ",1", LITTLE + ",2", LITTLE + ",5", 3 * LITTLE + ",3", MUCH + ",1"})
  void theLastEntryOfEachKeyCounts(int memoryBytes, int threads) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    NavigableMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
    try (Store store = open()) {
      Database database = store.database();
      for (int i = 0; i < 3000; i += 3) {
        database.put(key(i), value(i, 1));
        expected.put(key(i), value(i, 1));
      }
      try (BulkLoader loader =
          database.bulkLoader().memoryBytes(memoryBytes).threads(threads).open()) {
        for (int i = 0; i < 12_000; i++) {
          int number = random.nextInt(6000);
          if (random.nextInt(8) == 0) {
            loader.delete(key(number));
            expected.remove(key(number));
          } else {
            loader.put(key(number), value(number, 2 + i));
            expected.put(key(number), value(number, 2 + i));
          }
        }
        assertThat(loader.finish()).isGreaterThanOrEqualTo(expected.size() - 1000L);
      }
      assertHolds(database, expected);
      database.put(key(7), value(7, 0));
      expected.put(key(7), value(7, 0));
      database.compact();
      assertHolds(database, expected);
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
    assertSound();
    try (Store store = open()) {
      assertHolds(store.database(), expected);
    }
  }

  @Test
  void whatFitsIntoMemoryIsWrittenOnce() {
    try (Store store = open()) {
      try (BulkLoader loader = store.database().bulkLoader().memoryBytes(MUCH).open()) {
        load(loader, 10_000);
        loader.finish();
      }
      StoreStatistics statistics = store.statistics();
      assertThat(written(statistics)).isEqualTo(store.database().forest().bytes());
      assertThat(statistics.get(Metric.LOG_BYTES)).isZero();
    }
  }

  @Test
  void whatDoesNotIsWrittenTwice() {
    try (Store store = open()) {
      try (BulkLoader loader = store.database().bulkLoader().memoryBytes(1 << 20).open()) {
        load(loader, 50_000);
        loader.finish();
      }
      store.awaitIdle();
      StoreStatistics statistics = store.statistics();
      assertThat((double) written(statistics)).isLessThan(2.1 * store.database().forest().bytes());
      assertThat(statistics.get(Metric.LOG_BYTES)).isZero();
    }
  }

  private static long written(StoreStatistics statistics) {
    return statistics.get(Metric.FLUSH_BYTES) + statistics.get(Metric.COMPACTION_BYTES);
  }

  /** Keys in an order that is far from theirs. */
  private static void load(BulkLoader loader, int count) {
    for (int i = 0; i < count; i++) {
      int number = (int) (i * 7919L % count);
      loader.put(key(number), value(number, 1));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {LITTLE, MUCH})
  void aLoadThatIsNotFinishedLeavesNothing(int memoryBytes) throws IOException {
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 10, 1);
      store.flush();
      List<Path> before = ssts();
      Path temporary = Files.createDirectories(directory.resolve("temporary"));
      for (Path runs : Arrays.asList(null, temporary)) {
        BulkLoader.Builder builder = store.database().bulkLoader().memoryBytes(memoryBytes);
        if (runs != null) {
          builder.temporaryDirectory(runs);
        }
        try (BulkLoader loader = builder.open()) {
          load(loader, 3000);
        }
        assertThat(ssts()).isEqualTo(before);
        assertThat(SmallStores.files(temporary, "")).isEmpty();
        assertThat(store.database().get(key(100))).isNull();
      }
    }
  }

  @Test
  void runsMayBeElsewhere() throws IOException {
    Path temporary = Files.createDirectories(directory.resolve("temporary"));
    try (Store store = open()) {
      try (BulkLoader loader =
          store.database().bulkLoader().memoryBytes(LITTLE).temporaryDirectory(temporary).open()) {
        load(loader, 5000);
        assertThat(SmallStores.files(temporary, "")).isNotEmpty();
        assertThat(ssts()).isEmpty();
        loader.finish();
      }
      assertThat(SmallStores.files(temporary, "")).isEmpty();
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 5000, 1));
    }
  }

  @Test
  void progressIsTold() {
    List<BulkLoader.Progress> told = new ArrayList<>();
    try (Store store = open();
        BulkLoader loader =
            store.database().bulkLoader().memoryBytes(LITTLE).progress(told::add).open()) {
      load(loader, 40_000);
      assertThat(told).isNotEmpty().allMatch(each -> each.written() == 0);
      loader.finish();
    }
    assertThat(told.get(told.size() - 1)).isEqualTo(new BulkLoader.Progress(40_000, 40_000));
  }

  @Test
  void aLoadOfNothingIsNothing() {
    try (Store store = open();
        BulkLoader loader = store.database().bulkLoader().open()) {
      assertThat(loader.finish()).isZero();
      assertThatThrownBy(() -> loader.put(key(1), value(1, 1)))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(loader::finish).isInstanceOf(IllegalStateException.class);
      assertThat(store.database().forest().trees()).isZero();
    }
  }

  @Test
  void entriesThatCannotBeAreRefusedAndTheLoadGoesOn() {
    try (Store store = open();
        BulkLoader loader = store.database().bulkLoader().open()) {
      assertThatThrownBy(() -> loader.put(new byte[(1 << 16) + 1], bytes("")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> loader.put(SmallStores.nothing(), bytes("")))
          .isInstanceOf(IllegalArgumentException.class);
      loader.put(key(1), new byte[3 << 20]); // larger than any memtable
      loader.put(key(2), value(2, 1));
      loader.finish();
      assertThat(store.database().get(key(1))).hasSize(3 << 20);
      assertThat(store.database().get(key(2))).isEqualTo(value(2, 1));
    }
    assertThatThrownBy(
            () -> {
              try (Store store = open()) {
                store.database().bulkLoader().memoryBytes(1);
              }
            })
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("memoryBytes is 1");
  }

  @Test
  void aStoreMayBeClosedBeforeTheLoad() {
    Store store = open();
    try (BulkLoader loader = store.database().bulkLoader().memoryBytes(LITTLE).open()) {
      load(loader, 3000);
      store.close();
      assertThatThrownBy(loader::finish).isInstanceOf(IllegalStateException.class);
    }
    assertThat(ssts()).isEmpty();
    assertSound();
  }

  @Test
  void aDatabaseMayBeDroppedMeanwhile() {
    try (Store store = open()) {
      Database database = store.openOrCreateDatabase("dropped");
      try (BulkLoader loader = database.bulkLoader().memoryBytes(LITTLE).open()) {
        load(loader, 3000);
        store.dropDatabase("dropped");
        assertThatThrownBy(loader::finish)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("dropped");
      }
      store.awaitIdle();
      assertThat(ssts()).isEmpty();
    }
  }

  @Test
  void aCrashLeavesNothingForLong() throws IOException {
    try (Store store = open();
        BulkLoader loader = store.database().bulkLoader().memoryBytes(LITTLE).open()) {
      load(loader, 3000);
      SmallStores.copy(directory.resolve("store"), directory.resolve("copy"));
    }
    assertThat(SmallStores.files(directory.resolve("copy"), ".sst")).isNotEmpty();
    SmallStores.open(directory.resolve("copy")).close();
    assertThat(SmallStores.files(directory.resolve("copy"), ".sst")).isEmpty();
  }
}
