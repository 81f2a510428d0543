package io.sifr.internal.util;

import java.nio.ByteBuffer;

/**
 * Unsigned integers in groups of seven bits, least significant group first, high bit set on all
 * bytes but the last. Small numbers, such as most lengths, take one byte.
 */
public final class VarInts {
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
