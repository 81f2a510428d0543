package io.sifr;

import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A range of the key space. Both bounds are optional, and each may belong to the range or not.
 * Immutable.
 *
 * <p>No key lies between one and the same with a zero byte appended, so every range is one from a
 * key, inclusive, to another, exclusive.
 */
public final class KeyRange {
  private static final KeyRange ALL = new KeyRange(null, null);
  private static final KeyRange NONE = new KeyRange(Bytes.EMPTY, Bytes.EMPTY);

  private final byte @Nullable [] from;
  private final byte @Nullable [] to;

  private KeyRange(byte @Nullable [] from, byte @Nullable [] to) {
    this.from = from;
    this.to = to;
  }

  /** Every key. */
  public static KeyRange all() {
    return ALL;
  }

  /** Every key at or after {@code from}. */
  public static KeyRange atLeast(byte[] from) {
    return new KeyRange(Arguments.notNull("from", from).clone(), null);
  }

  /** Every key after {@code from}. */
  public static KeyRange greaterThan(byte[] from) {
    byte[] first = after(Arguments.notNull("from", from));
    return first == null ? NONE : new KeyRange(first, null);
  }

  /** Every key at or before {@code to}. */
  public static KeyRange atMost(byte[] to) {
    return new KeyRange(null, after(Arguments.notNull("to", to)));
  }

  /** Every key before {@code to}. */
  public static KeyRange lessThan(byte[] to) {
    return new KeyRange(null, Arguments.notNull("to", to).clone());
  }

  /**
   * Every key at or after {@code from} and before {@code to}; none when {@code to} is not after
   * {@code from}.
   */
  public static KeyRange between(byte[] from, byte[] to) {
    return new KeyRange(
        Arguments.notNull("from", from).clone(), Arguments.notNull("to", to).clone());
  }

  /**
   * Every key between two, of which each belongs to the range or not.
   *
   * @param fromInclusive whether {@code from} belongs to it
   * @param toInclusive whether {@code to} belongs to it
   */
  public static KeyRange between(
      byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    KeyRange begin = fromInclusive ? atLeast(from) : greaterThan(from);
    return begin.and(toInclusive ? atMost(to) : lessThan(to));
  }

  /** Every key that begins with {@code prefix}. */
  public static KeyRange prefix(byte[] prefix) {
    byte[] from = Arguments.notNull("prefix", prefix).clone();
    return new KeyRange(from, Bytes.afterPrefix(from, from.length));
  }

  /** Whether the key lies in the range. */
  public boolean contains(byte[] key) {
    int length = Arguments.notNull("key", key).length;
    return (from == null || Bytes.compare(key, 0, length, from, 0, from.length) >= 0)
        && (to == null || Bytes.compare(key, 0, length, to, 0, to.length) < 0);
  }

  /** Every key that lies in this range and in another. */
  public KeyRange and(KeyRange other) {
    byte[] otherFrom = Arguments.notNull("other", other).from;
    byte[] otherTo = other.to;
    boolean isFromOurs =
        otherFrom == null || (from != null && Arrays.compareUnsigned(from, otherFrom) >= 0);
    boolean isToOurs = otherTo == null || (to != null && Arrays.compareUnsigned(to, otherTo) <= 0);
    return new KeyRange(isFromOurs ? from : otherFrom, isToOurs ? to : otherTo);
  }

  /**
   * The first key after another; null when there is none. Of a key as long as keys may be it is not
   * longer; one that is too long for a key stays as it is, so that its length can be named.
   */
  private static byte @Nullable [] after(byte[] key) {
    return key.length > EntryLimits.MAX_KEY_BYTES
        ? key.clone()
        : EntryLimits.firstFrom(Bytes.successor(key));
  }

  byte @Nullable [] from() {
    return from;
  }

  byte @Nullable [] to() {
    return to;
  }
}
