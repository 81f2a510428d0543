package io.sifr.internal.util;

import com.google.common.collect.Range;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key as an object that is compared, for sets of keys and of ranges. Keys are in the order of
 * their bytes, unsigned. Immutable as long as nobody changes the array.
 */
public final class Key implements Comparable<Key> {
  private final byte[] bytes;

  private Key(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The key with these bytes, which belong to it from the call on. */
  public static Key of(byte[] bytes) {
    return new Key(bytes);
  }

  /** The key with bytes that are copied. */
  public static Key copyOf(byte[] array, int offset, int length) {
    return new Key(Arrays.copyOfRange(array, offset, offset + length));
  }

  /**
   * The keys from one to another, both included; none if they are in no order.
   *
   * @param first null: no bound
   * @param last null: no bound
   */
  public static Range<Key> closed(byte @Nullable [] first, byte @Nullable [] last) {
    if (first == null) {
      return last == null ? Range.all() : Range.atMost(of(last));
    }
    Key begin = of(first);
    if (last == null) {
      return Range.atLeast(begin);
    }
    Key end = of(last);
    return end.compareTo(begin) < 0 ? Range.closedOpen(begin, begin) : Range.closed(begin, end);
  }

  /**
   * The keys from one to another; none if they are in no order.
   *
   * @param from the first key; null: the first of all
   * @param to the key after the last one; null: there is none
   */
  public static Range<Key> range(byte @Nullable [] from, byte @Nullable [] to) {
    Key first = of(from == null ? Bytes.EMPTY : from);
    if (to == null) {
      return Range.atLeast(first);
    }
    Key end = of(to);
    return Range.closedOpen(first, end.compareTo(first) < 0 ? first : end);
  }

  /** The upper bound of a range; null: there is none. */
  public static byte @Nullable [] end(Range<Key> range) {
    return range.hasUpperBound() ? range.upperEndpoint().bytes : null;
  }

  /** The bytes, not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public int compareTo(Key other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Key key && Arrays.equals(bytes, key.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return KeyText.of(bytes);
  }
}
