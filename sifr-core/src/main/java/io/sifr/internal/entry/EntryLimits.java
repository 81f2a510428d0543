package io.sifr.internal.entry;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.buffer.ByteBuf;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The limits of keys and values, in memory and in every file. */
public final class EntryLimits {
  /** Size of the longest user key. */
  public static final int MAX_KEY_BYTES = 1 << 16;

  /** The largest of all keys. Shared, and not to be changed. */
  public static final byte[] LAST_KEY = lastKey();

  /** Size of the longest value. */
  public static final int MAX_VALUE_BYTES = 1 << 29;

  private EntryLimits() {}

  private static byte[] lastKey() {
    byte[] key = new byte[MAX_KEY_BYTES];
    Arrays.fill(key, (byte) -1);
    return key;
  }

  /** The end of a range of keys with that last key; null for no end, if that is the last of all. */
  public static byte @Nullable [] endAfter(byte[] last) {
    return Arrays.equals(last, LAST_KEY) ? null : Bytes.successor(last);
  }

  /**
   * The first key that is not before a bound, which may be the {@linkplain Bytes#successor
   * successor} of a key, and so too long for a key; null when there is none.
   */
  public static byte @Nullable [] firstFrom(byte[] bound) {
    if (bound.length <= MAX_KEY_BYTES) {
      return bound;
    }
    int last = MAX_KEY_BYTES - 1;
    while (last >= 0 && bound[last] == -1) {
      last--;
    }
    if (last < 0) {
      return null;
    }
    byte[] first = Arrays.copyOf(bound, last + 1);
    first[last]++;
    return first;
  }

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

  /** As above, for a value of so many bytes. */
  public static void checkValueLength(long length) {
    if (length < 0 || length > MAX_VALUE_BYTES) {
      throw new IllegalArgumentException(
          "value has " + length + " bytes; allowed: up to " + MAX_VALUE_BYTES);
    }
  }

  /** As above, for a value that expires, which is stored with the time. */
  public static void checkExpiringValue(byte @Nullable [] value) {
    int allowed = MAX_VALUE_BYTES - ExpiringKind.DUE_BYTES;
    var unused = check("value that expires", value == null ? -1 : value.length, allowed);
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
