package io.sifr.inspect.salvage;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A range of keys, both ends included.
 *
 * @param from the first key; null when there is no bound
 * @param to the last key; null when there is no bound
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
record KeyBounds(byte @Nullable [] from, byte @Nullable [] to) {
  static final KeyBounds ALL = new KeyBounds(null, null);

  boolean contains(byte[] array, int offset, int length) {
    return (from == null
            || Arrays.compareUnsigned(array, offset, offset + length, from, 0, from.length) >= 0)
        && (to == null
            || Arrays.compareUnsigned(array, offset, offset + length, to, 0, to.length) <= 0);
  }

  boolean isEmpty() {
    return from != null && to != null && Arrays.compareUnsigned(from, to) > 0;
  }

  /** The intersection of both; may be empty. */
  KeyBounds and(KeyBounds other) {
    return new KeyBounds(larger(from, other.from), smaller(to, other.to));
  }

  /** The smallest range that contains both. */
  KeyBounds around(KeyBounds other) {
    return new KeyBounds(
        from == null || other.from == null ? null : smaller(from, other.from),
        to == null || other.to == null ? null : larger(to, other.to));
  }

  private static byte @Nullable [] larger(byte @Nullable [] a, byte @Nullable [] b) {
    return a == null || (b != null && Arrays.compareUnsigned(a, b) < 0) ? b : a;
  }

  private static byte @Nullable [] smaller(byte @Nullable [] a, byte @Nullable [] b) {
    return a == null || (b != null && Arrays.compareUnsigned(a, b) > 0) ? b : a;
  }
}
