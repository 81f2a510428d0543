package io.sifr.internal.forest;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of the key space.
 *
 * @param above the key it begins behind, which is not part of it; null: the first key of all is
 * @param last its last key, which is part of it; null: it has no end
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record KeySpan(byte @Nullable [] above, byte @Nullable [] last) {
  /** The whole key space. */
  public static final KeySpan ALL = new KeySpan(null, null);

  /**
   * @throws IllegalArgumentException when no key can lie in it
   */
  public KeySpan {
    if (above != null && last != null && Arrays.compareUnsigned(above, last) >= 0) {
      throw new IllegalArgumentException("a span of keys ends before it begins");
    }
  }

  /** The span of all keys up to {@code last}. */
  public static KeySpan upTo(byte[] last) {
    return new KeySpan(null, last);
  }

  /** Whether a key from {@code smallest} to {@code largest} may lie in it. */
  public boolean overlaps(byte[] smallest, byte[] largest) {
    return beginsBefore(largest) && (last == null || Arrays.compareUnsigned(smallest, last) <= 0);
  }

  /** Whether all keys from {@code smallest} to {@code largest} lie in it. */
  public boolean contains(byte[] smallest, byte[] largest) {
    return beginsBefore(smallest) && (last == null || Arrays.compareUnsigned(largest, last) <= 0);
  }

  private boolean beginsBefore(byte[] key) {
    return above == null || Arrays.compareUnsigned(key, above) > 0;
  }

  /** What it has in common with another; empty when that is nothing. */
  public Optional<KeySpan> and(KeySpan other) {
    byte[] begin = above;
    if (begin == null || (other.above != null && Arrays.compareUnsigned(other.above, begin) > 0)) {
      begin = other.above;
    }
    byte[] end = last;
    if (end == null || (other.last != null && Arrays.compareUnsigned(other.last, end) < 0)) {
      end = other.last;
    }
    return begin != null && end != null && Arrays.compareUnsigned(begin, end) >= 0
        ? Optional.empty()
        : Optional.of(new KeySpan(begin, end));
  }
}
