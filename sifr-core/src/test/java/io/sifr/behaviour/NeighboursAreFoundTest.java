package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.nothing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Entry;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Single entries that are found by their order, as in a sorted map in memory. */
class NeighboursAreFoundTest {
  @TempDir Path directory;

  private static void assertSame(
      @Nullable Entry found, Map.@Nullable Entry<byte[], byte[]> wanted) {
    if (wanted == null) {
      assertThat(found).isNull();
    } else {
      assertThat(found).isNotNull();
      assertThat(found.key()).isEqualTo(wanted.getKey());
      assertThat(found.value()).isEqualTo(wanted.getValue());
    }
  }

  private static byte[] drawKey(Random random) {
    byte[] key = new byte[random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) * 127);
    }
    return key;
  }

  @Test
  void theyAreThoseOfASortedMap() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      for (int round = 0; round < 400; round++) {
        byte[] written = drawKey(random);
        if (random.nextInt(3) == 0) {
          database.delete(written);
          model.remove(written);
        } else {
          byte[] value = {(byte) round};
          database.put(written, value);
          model.put(written, value);
        }
        if (random.nextInt(50) == 0) {
          store.flush();
        }
        byte[] key = drawKey(random);
        assertSame(database.firstEntry(KeyRange.all()), model.firstEntry());
        assertSame(database.lastEntry(KeyRange.all()), model.lastEntry());
        assertSame(database.lastEntry(KeyRange.lessThan(key)), model.lowerEntry(key));
        assertSame(database.lastEntry(KeyRange.atMost(key)), model.floorEntry(key));
        assertSame(database.firstEntry(KeyRange.atLeast(key)), model.ceilingEntry(key));
        assertSame(database.firstEntry(KeyRange.greaterThan(key)), model.higherEntry(key));
        checkRange(database, model, key, drawKey(random), random);
      }
    }
  }

  private static void checkRange(
      Database database,
      NavigableMap<byte[], byte[]> model,
      byte[] one,
      byte[] other,
      Random random) {
    boolean ascending = Arrays.compareUnsigned(one, other) <= 0;
    byte[] from = ascending ? one : other;
    byte[] to = ascending ? other : one;
    boolean fromInclusive = random.nextBoolean();
    boolean toInclusive = random.nextBoolean();
    KeyRange range = KeyRange.between(from, fromInclusive, to, toInclusive);
    NavigableMap<byte[], byte[]> wanted = model.subMap(from, fromInclusive, to, toInclusive);
    assertSame(database.firstEntry(range), wanted.firstEntry());
    assertSame(database.lastEntry(range), wanted.lastEntry());
    assertThat(database.count(range)).isEqualTo(wanted.size());
  }

  @Test
  void rangesWithOpenAndClosedBoundsCanBeDeletedAndCompacted() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      for (String key : new String[] {"a", "b", "c", "d"}) {
        database.put(bytes(key), bytes(key));
      }
      database.deleteRange(KeyRange.between(bytes("a"), false, bytes("b"), true));
      assertThat(SmallStores.content(database)).containsOnlyKeys("a", "c", "d");
      database.compact(KeyRange.greaterThan(bytes("c")));
      byte[] longest = new byte[1 << 16];
      Arrays.fill(longest, (byte) 'x');
      database.put(longest, bytes("longest"));
      database.deleteRange(KeyRange.greaterThan(longest));
      assertThat(keyOf(database.lastEntry(KeyRange.atMost(longest)))).isEqualTo(longest);
      database.deleteRange(KeyRange.between(longest, true, longest, true));
      assertThat(SmallStores.content(database)).containsOnlyKeys("a", "c", "d");
    }
  }

  @Test
  void aSnapshotHasItsOwn() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      database.put(bytes("b"), bytes("1"));
      try (Snapshot snapshot = store.snapshot()) {
        database.delete(bytes("b"));
        database.put(bytes("a"), bytes("2"));
        ReadOptions before = ReadOptions.at(snapshot);
        byte[] key = bytes("b");
        assertThat(keyOf(database.firstEntry(KeyRange.all(), before))).isEqualTo(key);
        assertThat(keyOf(database.lastEntry(KeyRange.all(), before))).isEqualTo(key);
        assertThat(keyOf(database.lastEntry(KeyRange.atMost(key), before))).isEqualTo(key);
        assertThat(keyOf(database.firstEntry(KeyRange.atLeast(key), before))).isEqualTo(key);
        assertThat(database.lastEntry(KeyRange.lessThan(key), before)).isNull();
        assertThat(keyOf(database.firstEntry(KeyRange.greaterThan(bytes("a")), before)))
            .isEqualTo(key);
        assertThat(database.count(KeyRange.all(), before)).isEqualTo(1);
        assertThat(valueOf(database.lastEntry(KeyRange.lessThan(key)))).isEqualTo(bytes("2"));
      }
    }
  }

  @Test
  void entriesAreEqualIfTheirBytesAre() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      database.put(bytes("a"), bytes("1"));
      Entry first = Objects.requireNonNull(database.firstEntry(KeyRange.all()));
      assertThat(database.lastEntry(KeyRange.all())).isEqualTo(first).hasSameHashCodeAs(first);
      assertThat(first).hasToString("\"a\" with a value of 1 bytes");
      first.value()[0] = 7;
      assertThat(database.get(bytes("a"))).isEqualTo(bytes("1"));
      assertThat(database.firstEntry(KeyRange.all())).isNotEqualTo(first);
    }
  }

  @Test
  void keysThatAreNoneAreRefused() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      assertThatThrownBy(() -> database.lastEntry(KeyRange.atMost(nothing())))
          .hasMessage("to is null");
      assertThatThrownBy(() -> database.firstEntry(KeyRange.greaterThan(new byte[(1 << 16) + 1])))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("key has 65537 bytes; allowed: up to 65536");
      assertThatThrownBy(() -> database.firstEntry(nothing())).hasMessage("range is null");
      assertThatThrownBy(() -> database.count(nothing())).hasMessage("range is null");
      assertThatThrownBy(() -> database.estimate(nothing())).hasMessage("range is null");
    }
  }

  private static byte[] keyOf(@Nullable Entry entry) {
    return Objects.requireNonNull(entry).key();
  }

  private static byte[] valueOf(@Nullable Entry entry) {
    return Objects.requireNonNull(entry).value();
  }
}
