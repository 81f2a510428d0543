package io.sifr.model;

import io.sifr.KeyRange;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Databases as maps in the order of unsigned bytes. */
final class SortedMaps {
  private SortedMaps() {}

  static NavigableMap<byte[], byte[]> empty() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  /** A copy of the entries of a range. */
  static NavigableMap<byte[], byte[]> part(NavigableMap<byte[], byte[]> map, KeyRange range) {
    NavigableMap<byte[], byte[]> part = empty();
    map.forEach(
        (key, value) -> {
          if (range.contains(key)) {
            part.put(key, value);
          }
        });
    return part;
  }

  /** A copy of several, by name. */
  static Map<String, NavigableMap<byte[], byte[]>> copy(
      Map<String, NavigableMap<byte[], byte[]>> maps) {
    Map<String, NavigableMap<byte[], byte[]>> copy = new TreeMap<>();
    maps.forEach((name, map) -> copy.put(name, new TreeMap<>(map)));
    return copy;
  }
}
