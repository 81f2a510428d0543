package io.sifr;

import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A range of the key space: from a key, inclusive, to another, exclusive; both bounds are optional.
 * Immutable.
 */
public final class KeyRange {
  private static final KeyRange ALL = new KeyRange(null, null);

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

  /** Every key that begins with {@code prefix}. */
  public static KeyRange prefix(byte[] prefix) {
    byte[] from = Arguments.notNull("prefix", prefix).clone();
    int length = from.length;
    while (length > 0 && from[length - 1] == (byte) 0xFF) {
      length--;
    }
    if (length == 0) {
      return new KeyRange(from, null);
    }
    byte[] to = Arrays.copyOf(from, length);
    to[length - 1]++;
    return new KeyRange(from, to);
  }

  /** Whether the key lies in the range. */
  public boolean contains(byte[] key) {
    int length = Arguments.notNull("key", key).length;
    return (from == null || Bytes.compare(key, 0, length, from, 0, from.length) >= 0)
        && (to == null || Bytes.compare(key, 0, length, to, 0, to.length) < 0);
  }

  byte @Nullable [] from() {
    return from;
  }

  byte @Nullable [] to() {
    return to;
  }
}
