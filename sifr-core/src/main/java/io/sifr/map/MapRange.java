package io.sifr.map;

import io.sifr.KeyRange;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The range of a map or of a part of it: encoded bounds, each of which may belong to it. Immutable;
 * the arrays are not changed.
 */
final class MapRange {
  static final MapRange ALL = new MapRange(null, true, null, true);

  private final byte @Nullable [] low;
  private final boolean lowInclusive;
  private final byte @Nullable [] high;
  private final boolean highInclusive;
  private final KeyRange keys;

  private MapRange(
      byte @Nullable [] low, boolean lowInclusive, byte @Nullable [] high, boolean highInclusive) {
    this.low = low;
    this.lowInclusive = lowInclusive;
    this.high = high;
    this.highInclusive = highInclusive;
    KeyRange from =
        low == null
            ? KeyRange.all()
            : lowInclusive ? KeyRange.atLeast(low) : KeyRange.greaterThan(low);
    this.keys =
        high == null
            ? from
            : from.and(highInclusive ? KeyRange.atMost(high) : KeyRange.lessThan(high));
  }

  /** All keys of the range. */
  KeyRange keys() {
    return keys;
  }

  boolean contains(byte[] key) {
    return keys.contains(key);
  }

  /**
   * A part of the range.
   *
   * @param from null: the part begins as the range does
   * @param to null: it ends as the range does
   * @throws IllegalArgumentException when a bound lies outside, or the part ends before it begins
   */
  MapRange part(
      byte @Nullable [] from, boolean fromInclusive, byte @Nullable [] to, boolean toInclusive) {
    if (from != null && !admits(from, fromInclusive)) {
      throw new IllegalArgumentException("the part begins outside of the map it is a part of");
    }
    if (to != null && !admits(to, toInclusive)) {
      throw new IllegalArgumentException("the part ends outside of the map it is a part of");
    }
    MapRange part =
        new MapRange(
            from == null ? low : from,
            from == null ? lowInclusive : fromInclusive,
            to == null ? high : to,
            to == null ? highInclusive : toInclusive);
    if (part.low != null && part.high != null && Arrays.compareUnsigned(part.low, part.high) > 0) {
      throw new IllegalArgumentException("the part ends before it begins");
    }
    return part;
  }

  /**
   * Whether a part may begin or end there: one that excludes its bound may share an excluded one.
   */
  private boolean admits(byte[] bound, boolean inclusive) {
    return inclusive
        ? contains(bound)
        : (low == null || Arrays.compareUnsigned(bound, low) >= 0)
            && (high == null || Arrays.compareUnsigned(bound, high) <= 0);
  }

  /** What of the range is after a key, or from it on. */
  KeyRange after(byte[] key, boolean inclusive) {
    return keys.and(inclusive ? KeyRange.atLeast(key) : KeyRange.greaterThan(key));
  }

  /** What of the range is before a key, or up to it. */
  KeyRange before(byte[] key, boolean inclusive) {
    return keys.and(inclusive ? KeyRange.atMost(key) : KeyRange.lessThan(key));
  }
}
