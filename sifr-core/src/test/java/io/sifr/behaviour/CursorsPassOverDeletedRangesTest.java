package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A scan over a deleted range reads a few blocks, however many keys there were: their number is
 * what is counted, with nothing in the cache.
 */
class CursorsPassOverDeletedRangesTest {
  private static final int KEYS = 100_000;
  private static final int LEFT = 10;
  private static final StoreOptions OPTIONS = options(1 << 20);

  @TempDir Path directory;

  private static StoreOptions options(int writeBufferBytes) {
    return StoreOptions.builder()
        .readMode(ReadMode.POSITIONAL)
        .blockCacheBytes(0)
        .writeBufferBytes(writeBufferBytes)
        .splitUnitBytes(writeBufferBytes / 4)
        .checkBytesPerSecond(0)
        .build();
  }

  private static void load(Store store) {
    Database database = store.database();
    for (int key : new Random(3).ints(2 * KEYS, 0, KEYS).toArray()) {
      database.put(SmallStores.key(key), SmallStores.value(key, 1));
    }
    for (int key = 0; key < LEFT; key++) {
      database.put(SmallStores.key(key), SmallStores.value(key, 1));
      database.put(SmallStores.key(KEYS - 1 - key), SmallStores.value(KEYS - 1 - key, 1));
    }
    store.flush();
    store.awaitIdle();
  }

  private static void deleteAllBut(Store store) {
    KeyRange hole = KeyRange.between(SmallStores.key(LEFT), SmallStores.key(KEYS - LEFT));
    store.database().deleteRange(hole);
  }

  private static void checkScans(Store store) {
    checkScan(store, Cursor::next, LEFT);
    checkScan(store, Cursor::previous, KEYS - 1 - LEFT);
  }

  private static void checkScan(Store store, Predicate<Cursor> step, int middle) {
    long before = store.statistics().get(Metric.FILE_READS);
    int met = 0;
    try (Cursor cursor = store.database().cursor()) {
      while (step.test(cursor)) {
        if (met == LEFT) {
          assertThat(Math.abs(keyOf(cursor) - middle)).isGreaterThan(KEYS - 3 * LEFT);
        }
        met++;
      }
    }
    assertThat(met).isEqualTo(2 * LEFT);
    int trees = store.database().forest().stages().stream().mapToInt(s -> s.trees().size()).sum();
    // Of each tree the block at which the scan begins, the next one, the one after the range, and
    // parts of the indexes that lead there.
    assertThat(store.statistics().get(Metric.FILE_READS) - before).isLessThan(12L * trees);
  }

  private static int keyOf(Cursor cursor) {
    return Integer.parseInt(new String(cursor.key(), US_ASCII).replaceAll("\\D", ""));
  }

  @Test
  void whichWereDeletedInMemory() {
    try (Store store = Store.open(directory, OPTIONS)) {
      load(store);
      deleteAllBut(store);
      checkScans(store);
    }
  }

  @Test
  void whichWereDeletedInTheTreeThatHoldsThem() {
    try (Store store = Store.open(directory, options(64 << 20))) {
      for (int key = 0; key < KEYS; key++) {
        store.database().put(SmallStores.key(key), SmallStores.value(key, 1));
      }
      try (Snapshot snapshot = store.snapshot()) {
        deleteAllBut(store);
        store.flush();
        checkScans(store);
        assertThat(snapshot).isNotNull();
      }
    }
  }

  @Test
  void whichWereDeletedInATreeAndThatASnapshotKeeps() {
    try (Store store = Store.open(directory, OPTIONS)) {
      load(store);
      try (Snapshot snapshot = store.snapshot()) {
        deleteAllBut(store);
        store.flush();
        checkScans(store);
        assertThat(snapshot).isNotNull();
      }
    }
  }

  /** What the SST of the tombstone holds that was put after it is met, in the midst of the rest. */
  @Test
  void butOverNothingThatWasPutAfterwards() {
    try (Store store = Store.open(directory, options(64 << 20))) {
      Database database = store.database();
      SmallStores.fill(database, 0, KEYS, 1);
      try (Snapshot snapshot = store.snapshot()) {
        database.deleteRange(KeyRange.all());
        for (int key = KEYS / 10; key < KEYS; key += KEYS / 10) {
          database.put(SmallStores.key(key), SmallStores.value(key, 2));
        }
        store.flush();
        assertThat(SmallStores.content(database)).hasSize(9).containsValue(text(KEYS / 2));
        int met = 0;
        try (Cursor cursor = database.cursor()) {
          while (cursor.previous()) {
            met++;
            assertThat(keyOf(cursor)).isEqualTo(KEYS - met * (KEYS / 10));
          }
        }
        assertThat(met).isEqualTo(9);
        assertThat(database.get(SmallStores.key(1), ReadOptions.at(snapshot))).isNotNull();
      }
    }
  }

  private static String text(int key) {
    return new String(SmallStores.value(key, 2), US_ASCII);
  }
}
