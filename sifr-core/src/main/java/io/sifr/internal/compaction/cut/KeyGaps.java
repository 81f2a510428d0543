package io.sifr.internal.compaction.cut;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A digest of ascending keys, from which the gaps between neighbours are measured later.
 *
 * <p>It keeps 24 bytes per key, however long the key is: how many bytes it shares with the key
 * before it, the seven bytes that follow in each of the two, and a weight. That is enough, because
 * only the bytes after the shared ones decide how far two neighbours are apart. Not thread-safe.
 */
final class KeyGaps {

  /** Bytes of each neighbour that are kept from the first difference on. */
  static final int WINDOW = Long.BYTES - 1;

  /** Number of values of {@link #symbol}: the end of the key, then the 256 bytes. */
  static final int SYMBOLS = 257;

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private int[] shared;
  private long[] before;
  private long[] after;
  // A float's 24 bits are plenty for "about a split unit"; a long would cost 4 more bytes a key.
  private float[] weights;
  private int size;
  private byte[] previous = new byte[64];
  private int previousLength;

  KeyGaps(int expectedKeys) {
    int capacity = Math.max(16, expectedKeys);
    shared = new int[capacity];
    before = new long[capacity];
    after = new long[capacity];
    weights = new float[capacity];
  }

  /**
   * Adds the next key.
   *
   * @param weight the bytes of data that lie after the previous key and up to this one
   * @return a negative number if the key is above the previous one, 0 if it is equal, a positive
   *     number if it is below (not allowed: the digest is then useless)
   */
  int add(byte[] array, int offset, int length, float weight) {
    if (size == shared.length) {
      grow();
    }
    int order = -1;
    if (size > 0) {
      int common = commonPrefix(array, offset, length);
      long low = window(previous, common, previousLength);
      long high = window(array, offset + common, offset + length);
      shared[size] = common;
      before[size] = low;
      after[size] = high;
      order = Integer.compare(symbol(low, 0), symbol(high, 0));
    }
    weights[size++] = weight;
    keep(array, offset, length);
    return order;
  }

  int size() {
    return size;
  }

  float weight(int key) {
    return weights[key];
  }

  /** The number of bytes that key {@code key} shares with the key before it. */
  int shared(int key) {
    return shared[key];
  }

  /** What follows the shared bytes in the key before {@code key}; read it with {@link #symbol}. */
  long before(int key) {
    return before[key];
  }

  /** What follows the shared bytes in key {@code key}; read it with {@link #symbol}. */
  long after(int key) {
    return after[key];
  }

  /** The number of symbols in a window up to the end of the key. */
  static int length(long window) {
    return (int) window & 0xFF;
  }

  /** Symbol {@code i} of a window: 0 after the end of the key, else the unsigned byte plus 1. */
  static int symbol(long window, int i) {
    return i < length(window) ? ((int) (window >>> (Long.SIZE - 8 * (i + 1))) & 0xFF) + 1 : 0;
  }

  private int commonPrefix(byte[] array, int offset, int length) {
    int mismatch = Arrays.mismatch(previous, 0, previousLength, array, offset, offset + length);
    return mismatch < 0 ? length : mismatch;
  }

  /** Up to seven bytes, the first one highest, and in the lowest byte how many they are. */
  private static long window(byte[] array, int from, int end) {
    if (end - from > WINDOW) {
      return ((long) BIG_ENDIAN.get(array, from) & -256L) | WINDOW;
    }
    int length = end - from;
    long window = 0;
    for (int i = 0; i < length; i++) {
      window |= (array[from + i] & 0xFFL) << (Long.SIZE - 8 * (i + 1));
    }
    return window | length;
  }

  private void keep(byte[] array, int offset, int length) {
    if (previous.length < length) {
      previous = new byte[Math.max(length, 2 * previous.length)];
    }
    System.arraycopy(array, offset, previous, 0, length);
    previousLength = length;
  }

  private void grow() {
    int capacity = size + (size >> 1);
    shared = Arrays.copyOf(shared, capacity);
    before = Arrays.copyOf(before, capacity);
    after = Arrays.copyOf(after, capacity);
    weights = Arrays.copyOf(weights, capacity);
  }
}
