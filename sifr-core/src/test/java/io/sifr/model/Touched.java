package io.sifr.model;

import io.sifr.KeyRange;
import io.sifr.TestRanges;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** Keys, single ones and those of ranges, that somebody has written or read in some databases. */
final class Touched {
  private final Map<String, TreeSet<byte[]>> keys = new HashMap<>();
  private final Map<String, List<KeyRange>> ranges = new HashMap<>();

  void touch(String database, byte[] key) {
    keys.computeIfAbsent(database, any -> new TreeSet<>(Arrays::compareUnsigned)).add(key);
  }

  void touch(String database, KeyRange range) {
    ranges.computeIfAbsent(database, any -> new ArrayList<>()).add(range);
  }

  /** Whether there are single keys. */
  boolean hasKeys() {
    return !keys.isEmpty();
  }

  private Set<byte[]> keysOf(String database) {
    return keys.getOrDefault(database, new TreeSet<>(Arrays::compareUnsigned));
  }

  private List<KeyRange> rangesOf(String database) {
    return ranges.getOrDefault(database, List.of());
  }

  boolean has(String database, byte[] key) {
    return keysOf(database).contains(key)
        || rangesOf(database).stream().anyMatch(range -> range.contains(key));
  }

  /** Whether a key of a range was touched. */
  boolean hasOneIn(String database, KeyRange range) {
    return keysOf(database).stream().anyMatch(range::contains)
        || rangesOf(database).stream().anyMatch(other -> overlap(range, other));
  }

  /** Of two ranges that overlap one begins in the other. */
  private static boolean overlap(KeyRange one, KeyRange other) {
    return beginsIn(one, other) || beginsIn(other, one);
  }

  private static boolean beginsIn(KeyRange one, KeyRange other) {
    byte[] begin = TestRanges.from(one);
    return one.contains(begin) && other.contains(begin);
  }

  /** Whether some key was touched by both. */
  boolean meets(Touched other) {
    return other.keys.entrySet().stream()
            .anyMatch(of -> of.getValue().stream().anyMatch(key -> has(of.getKey(), key)))
        || other.ranges.entrySet().stream()
            .anyMatch(of -> of.getValue().stream().anyMatch(r -> hasOneIn(of.getKey(), r)));
  }

  /** Passes all ranges, and then all keys. */
  void replay(BiConsumer<String, byte[]> forKeys, BiConsumer<String, KeyRange> forRanges) {
    ranges.forEach((name, all) -> all.forEach(range -> forRanges.accept(name, range)));
    keys.forEach((name, all) -> all.forEach(key -> forKeys.accept(name, key)));
  }
}
