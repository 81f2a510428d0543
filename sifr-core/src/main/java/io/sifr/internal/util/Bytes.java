package io.sifr.internal.util;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

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
    long prefix = 0;
    for (int i = 0; i < length; i++) {
      prefix |= (array[offset + i] & 0xFFL) << (56 - 8 * i);
    }
    return prefix;
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

  /** Number of leading bytes that the two ranges have in common. */
  public static int commonPrefix(
      byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    int mismatch = Arrays.mismatch(a, aOffset, aOffset + aLength, b, bOffset, bOffset + bLength);
    return mismatch < 0 ? aLength : mismatch;
  }
}
