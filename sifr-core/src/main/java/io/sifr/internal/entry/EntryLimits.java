package io.sifr.internal.entry;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** The limits of keys and values, in memory and in every file. */
public final class EntryLimits {
  /** Size of the longest user key. */
  public static final int MAX_KEY_BYTES = 1 << 16;

  /** Size of the longest value. */
  public static final int MAX_VALUE_BYTES = 1 << 29;

  private EntryLimits() {}

  /**
   * Checks a user's key, and returns its length.
   *
   * @throws IllegalArgumentException when it is null or too long
   */
  @CanIgnoreReturnValue
  public static int checkKey(byte @Nullable [] key) {
    return check("key", key == null ? -1 : key.length, MAX_KEY_BYTES);
  }

  /** As above, for the readable bytes of a buffer. */
  public static int checkKey(@Nullable ByteBuf key) {
    return check("key", key == null ? -1 : key.readableBytes(), MAX_KEY_BYTES);
  }

  /**
   * Checks a user's value, and returns its length.
   *
   * @throws IllegalArgumentException when it is null or too long
   */
  public static int checkValue(byte @Nullable [] value) {
    return check("value", value == null ? -1 : value.length, MAX_VALUE_BYTES);
  }

  /** As above, for the readable bytes of a buffer. */
  public static int checkValue(@Nullable ByteBuf value) {
    return check("value", value == null ? -1 : value.readableBytes(), MAX_VALUE_BYTES);
  }

  /**
   * Checks a bound of a range of keys.
   *
   * @throws IllegalArgumentException when it is too long
   */
  public static void checkBound(String name, byte[] bound) {
    var unused = check("the range's " + name, bound.length, MAX_KEY_BYTES);
  }

  private static int check(String what, int length, int allowed) {
    if (length < 0 || length > allowed) {
      throw new IllegalArgumentException(
          length < 0
              ? what + " is null"
              : what + " has " + length + " bytes; allowed: up to " + allowed);
    }
    return length;
  }
}
