package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.RangeEstimate;
import io.sifr.Store;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The estimate of a range against what is really there. */
class EstimatesAreCloseTest {
  private static final int KEYS = 20_000;

  /** The smallest entries take 75 bytes, most about 110, and a block 4096. */
  private static final int MOST_IN_A_BLOCK = 55;

  @TempDir Path directory;
  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  /** Each begins and ends within a block, too. */
  private int deletedRanges;

  private KeyRange drawRange() {
    int length = random.nextInt(KEYS);
    int from = random.nextInt(KEYS - length);
    return KeyRange.between(key(from), key(from + length));
  }

  private void assertClose(Database database, KeyRange range, double within) {
    long exact = database.count(range);
    RangeEstimate estimate = database.estimate(range);
    int ranges = Math.max(1, database.forest().trees()) + deletedRanges;
    long mostInBlocks = 2L * MOST_IN_A_BLOCK * ranges;
    String described = estimate + " of " + exact + " entries, seed " + seed;
    assertThat(estimate.entries() - exact)
        .as(described)
        .isBetween(
            Math.round(-within * exact) - mostInBlocks, Math.round(within * exact) + mostInBlocks);
    if (exact > 1000) {
      double bytesPerEntry = (double) exactBytes(database, range) / exact;
      double off = Math.max(0.1, within);
      assertThat((double) estimate.bytes() / estimate.entries())
          .as(described)
          .isBetween((1 - off) * bytesPerEntry, (1 + off) * bytesPerEntry);
    }
  }

  private static long exactBytes(Database database, KeyRange range) {
    long bytes = 0;
    try (Cursor cursor = database.cursor(range)) {
      while (cursor.next()) {
        bytes += cursor.key().length + cursor.value().length;
      }
    }
    return bytes;
  }

  private void assertRangesClose(Database database, double within) {
    assertClose(database, KeyRange.all(), within);
    for (int i = 0; i < 50; i++) {
      assertClose(database, drawRange(), within);
    }
  }

  @Test
  void anEmptyDatabaseHasNothing() {
    try (Store store = SmallStores.open(directory)) {
      assertThat(store.database().estimate(KeyRange.all())).isEqualTo(new RangeEstimate(0, 0, 0));
      assertThat(store.database().estimate(KeyRange.between(bytes("b"), bytes("a"))))
          .isEqualTo(new RangeEstimate(0, 0, 0));
    }
  }

  @Test
  void whatIsOnlyInMemoryIsCountedUpToAboutTwoThousandKeys() {
    try (Store store = Store.open(directory)) {
      Database database = store.database();
      for (int version = 0; version < 3; version++) {
        SmallStores.fill(database, 0, 400, version);
      }
      for (int i = 100; i < 150; i++) {
        database.delete(key(i));
      }
      database.deleteRange(KeyRange.between(key(200), key(300)));
      SmallStores.fill(database, 250, 260, 4);
      assertThat(database.estimate(KeyRange.all()).entries()).isEqualTo(260);
      assertThat(database.estimate(KeyRange.between(key(90), key(110))).entries()).isEqualTo(10);
      assertThat(database.estimate(KeyRange.between(key(200), key(255))).entries()).isEqualTo(5);
      assertThat(database.estimate(KeyRange.between(key(100), key(150))))
          .isEqualTo(new RangeEstimate(0, 0, 0));
      SmallStores.fill(database, 0, KEYS, 1);
      assertRangesClose(database, 0.1);
    }
  }

  @Test
  void withoutOverwritingTheyAreWrongByTwoBlocksOfEachTree() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      random.ints(KEYS, 0, KEYS).distinct().forEach(i -> database.put(key(i), value(i, 1)));
      store.flush();
      store.awaitIdle();
      assertRangesClose(database, 0);
      assertThat(database.estimate(KeyRange.all()).fileBytes())
          .isEqualTo(database.forest().bytes());
      database.compact();
      assertRangesClose(database, 0);
      assertThat(database.estimate(KeyRange.all()).entries())
          .isEqualTo(database.count(KeyRange.all()));
    }
  }

  @Test
  void overwrittenAndDeletedEntriesAreLeftOut() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      SmallStores.fill(database, 0, KEYS, 1);
      random.ints(KEYS, 0, KEYS).forEach(i -> database.put(key(i), value(i, 2)));
      random.ints(KEYS / 4, 0, KEYS).forEach(i -> database.delete(key(i)));
      assertRangesClose(database, 0.2);
      store.flush();
      store.awaitIdle();
      assertThat(database.forest().trees()).isGreaterThan(1);
      assertRangesClose(database, 0.2);
    }
  }

  @Test
  void deletedRangesAreLeftOut() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      SmallStores.fill(database, 0, KEYS, 1);
      database.compact();
      store.pauseCompactions();
      for (int i = 0; i < 5; i++) {
        database.deleteRange(drawRange());
        deletedRanges++;
        assertRangesClose(database, 0.1);
        store.flush();
        assertRangesClose(database, 0.1);
      }
      database.deleteRange(KeyRange.all());
      database.put(key(1), value(1, 1));
      assertThat(database.estimate(KeyRange.all()).entries()).isEqualTo(1);
    }
  }
}
