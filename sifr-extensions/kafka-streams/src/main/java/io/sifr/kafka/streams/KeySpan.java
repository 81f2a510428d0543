package io.sifr.kafka.streams;

import io.sifr.KeyRange;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** A range of keys, with its beginning, by which a sorted map is entered. */
final class KeySpan {
  private final byte @Nullable [] from;
  private final KeyRange range;

  private KeySpan(byte @Nullable [] from, KeyRange range) {
    this.from = from;
    this.range = range;
  }

  static KeySpan all() {
    return new KeySpan(null, KeyRange.all());
  }

  /** From a key to another, both included; null for no end. */
  static KeySpan between(byte @Nullable [] from, byte @Nullable [] to) {
    KeyRange fromOn = from == null ? KeyRange.all() : KeyRange.atLeast(from);
    return new KeySpan(from, to == null ? fromOn : fromOn.and(KeyRange.atMost(to)));
  }

  static KeySpan prefix(byte[] prefix) {
    return new KeySpan(prefix, KeyRange.prefix(prefix));
  }

  KeyRange range() {
    return range;
  }

  /** The part of a map that begins where this begins. */
  <V> NavigableMap<byte[], V> startingIn(NavigableMap<byte[], V> map) {
    return from == null ? map : map.tailMap(from, true);
  }
}
