package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Also the smallest: the empty key, and an empty value. */
class LargestEntriesPassThroughEverythingTest {
  private static final byte[] EMPTY = {};
  private static final byte[] LONGEST_KEY = random(1 << 16, 1);

  /** Larger than write buffer, log segment and split unit. */
  private static final byte[] LARGE_VALUE = random(3 << 20, 2);

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @Test
  void memoryFlushMergeAndReopening(@TempDir Path directory) {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      database.put(EMPTY, LARGE_VALUE);
      database.put(LONGEST_KEY, EMPTY);
      database.put(new byte[] {0}, LONGEST_KEY);
      check(database);
      store.flush();
      check(database);
      SmallStores.fill(database, 0, 300, 1);
      database.put(LONGEST_KEY, LARGE_VALUE);
      database.put(LONGEST_KEY, EMPTY);
      database.compact();
      check(database);
    }
    try (Store store = SmallStores.open(directory)) {
      check(store.database());
      store.database().delete(EMPTY);
      assertThat(store.database().contains(EMPTY)).isFalse();
    }
  }

  private static void check(Database database) {
    assertThat(Arrays.equals(database.get(EMPTY), LARGE_VALUE)).isTrue();
    assertThat(database.get(LONGEST_KEY)).isEqualTo(EMPTY);
    assertThat(database.get(new byte[] {0})).isEqualTo(LONGEST_KEY);
    try (Cursor cursor = database.cursor()) {
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.key()).isEmpty();
      assertThat(cursor.valueLength()).isEqualTo(LARGE_VALUE.length);
      assertThat(cursor.seek(LONGEST_KEY)).isTrue();
      assertThat(cursor.key()).isEqualTo(LONGEST_KEY);
      assertThat(cursor.valueLength()).isZero();
    }
  }
}
