package io.sifr.internal.util;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads and compares ranges of byte arrays in key order: byte by byte, unsigned. */
public final class Bytes {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  /** No bytes at all: the smallest key. */
  public static final byte[] EMPTY = {};

  private Bytes() {}

  /** Big-endian long at {@code offset}. */
  public static long getLong(byte[] array, int offset) {
    return (long) LONG.get(array, offset);
  }

  /** Writes a big-endian long at {@code offset}. */
  public static void putLong(byte[] array, int offset, long value) {
    LONG.set(array, offset, value);
  }

  /** Big-endian int at {@code offset}. */
  public static int getInt(byte[] array, int offset) {
    return (int) INT.get(array, offset);
  }

  /** Writes a big-endian int at {@code offset}. */
  public static void putInt(byte[] array, int offset, int value) {
    INT.set(array, offset, value);
  }

  /**
   * The first eight of {@code length} bytes as a big-endian number, padded with zeros. Comparing
   * prefixes with {@link Long#compareUnsigned} decides the order of most keys without reading the
   * keys; equal prefixes decide nothing.
   */
  public static long prefix(byte[] array, int offset, int length) {
    if (length >= Long.BYTES) {
      return (long) LONG.get(array, offset);
    }
    if (length > 0 && array.length - offset >= Long.BYTES) {
      return firstOf((long) LONG.get(array, offset), length);
    }
    long prefix = 0;
    for (int i = 0; i < length; i++) {
      prefix |= (array[offset + i] & 0xFFL) << (56 - 8 * i);
    }
    return prefix;
  }

  /** The first bytes, 0 to 7, of a big-endian number; the others are 0. */
  public static long firstOf(long word, int bytes) {
    return word & (-1L << (Long.SIZE - 1 - Byte.SIZE * bytes) << 1);
  }

  /** Unsigned lexicographic order of two ranges; a proper prefix comes first. */
  public static int compare(
      byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Arrays.compareUnsigned(a, aOffset, aOffset + aLength, b, bOffset, bOffset + bLength);
  }

  /** The smallest key that is larger than {@code key}. */
  public static byte[] successor(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  /**
   * The smallest key after all that begin with the first bytes of an array; null if nothing follows
   * them, since all of these bytes are 255.
   */
  public static byte @Nullable [] afterPrefix(byte[] array, int length) {
    int end = length;
    while (end > 0 && array[end - 1] == (byte) 0xFF) {
      end--;
    }
    if (end == 0) {
      return null;
    }
    byte[] after = Arrays.copyOf(array, end);
    after[end - 1]++;
    return after;
  }

  /** Number of leading bytes that the two ranges have in common. */
  public static int commonPrefix(
      byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    int mismatch = Arrays.mismatch(a, aOffset, aOffset + aLength, b, bOffset, bOffset + bLength);
    return mismatch < 0 ? aLength : mismatch;
  }

  /**
   * Unsigned integers in groups of seven bits, least significant group first, high bit set on all
   * bytes but the last. Small numbers, such as most lengths, take one byte.
   */
  public static final class VarInts {
    /** Bytes of the longest 32-bit value. */
    public static final int MAX_INT_BYTES = 5;

    /** Bytes of the longest 64-bit value. */
    public static final int MAX_LONG_BYTES = 10;

    private VarInts() {}

    /** Number of bytes that {@code value}, taken as unsigned, occupies. */
    public static int size(long value) {
      return (Long.SIZE - 1 - Long.numberOfLeadingZeros(value | 1)) / 7 + 1;
    }

    /** Writes {@code value} at {@code offset} and returns the offset after it. */
    public static int put(byte[] array, int offset, long value) {
      int at = offset;
      long rest = value;
      while ((rest & ~0x7FL) != 0) {
        array[at++] = (byte) (rest | 0x80);
        rest >>>= 7;
      }
      array[at++] = (byte) rest;
      return at;
    }

    /** Writes {@code value} at the buffer's position and moves it. */
    public static void put(ByteBuffer buffer, long value) {
      long rest = value;
      while ((rest & ~0x7FL) != 0) {
        buffer.put((byte) (rest | 0x80));
        rest >>>= 7;
      }
      buffer.put((byte) rest);
    }

    /**
     * Reads a value at the buffer's position and moves it.
     *
     * @throws IllegalArgumentException when the value is longer than ten bytes
     * @throws java.nio.BufferUnderflowException when the buffer ends within it
     */
    public static long getLong(ByteBuffer buffer) {
      long value = 0;
      for (int shift = 0; shift < 70; shift += 7) {
        byte next = buffer.get();
        value |= (long) (next & 0x7F) << shift;
        if (next >= 0) {
          return value;
        }
      }
      throw new IllegalArgumentException("a variable-length integer is longer than 10 bytes");
    }

    /**
     * Reads a value of at most 31 bits at the buffer's position and moves it.
     *
     * @throws IllegalArgumentException when the value is larger than {@link Integer#MAX_VALUE}
     * @throws java.nio.BufferUnderflowException when the buffer ends within it
     */
    public static int getInt(ByteBuffer buffer) {
      long value = getLong(buffer);
      if (value < 0 || value > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "a length is " + Long.toUnsignedString(value) + ", more than 2147483647");
      }
      return (int) value;
    }
  }
}
