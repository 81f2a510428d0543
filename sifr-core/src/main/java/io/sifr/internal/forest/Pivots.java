package io.sifr.internal.forest;

import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Keys that cut the key space into cells. The cells are 0 to {@link #count}; cell i begins with
 * pivot i - 1. Immutable; safe for any thread.
 */
final class Pivots {
  /** All keys in one cell. */
  static final Pivots NONE = new Pivots(new byte[0][]);

  private final byte[][] keys;
  private final Fences fences;

  /**
   * Those keys.
   *
   * @param keys ascending; not copied
   */
  Pivots(byte[][] keys) {
    this.keys = keys;
    this.fences = new Fences(keys.length, index -> keys[index]);
  }

  int count() {
    return keys.length;
  }

  byte[] key(int index) {
    return keys[index];
  }

  /** The cell a key lies in. */
  int cell(byte[] key, int offset, int length) {
    if (keys.length == 0) {
      return 0;
    }
    int order = fences.compareWithPrefix(key, offset, length);
    if (order != 0) {
      return order < 0 ? 0 : keys.length;
    }
    long word = fences.word(key, offset, length);
    int low = fences.firstNotBelow(word, 0, keys.length);
    if (low == keys.length || fences.word(low) != word) {
      return low;
    }
    int high = fences.firstAbove(word, low, keys.length);
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] pivot = keys[middle];
      if (Bytes.compare(pivot, 0, pivot.length, key, offset, length) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Eight bytes of each key of an ascending sequence, taken after the prefix that all of them
   * share: they distinguish most keys without access to the keys themselves. Immutable; safe for
   * any thread.
   */
  static final class Fences {
    /**
     * So few words are counted linearly, which has no branches that a processor could mispredict.
     */
    private static final int FEW = 8;

    private final byte[] sharedPrefix;

    /** The eight bytes as numbers whose signed order is the order of the keys. */
    private final long[] words;

    /**
     * @param count number of keys
     * @param key the keys by index, ascending
     */
    Fences(int count, IntFunction<byte[]> key) {
      sharedPrefix = count == 0 ? Bytes.EMPTY : sharedPrefix(key.apply(0), key.apply(count - 1));
      words = new long[count];
      for (int i = 0; i < count; i++) {
        byte[] whole = key.apply(i);
        words[i] = word(whole, 0, whole.length);
      }
    }

    private static byte[] sharedPrefix(byte[] first, byte[] last) {
      int shared = Bytes.commonPrefix(first, 0, first.length, last, 0, last.length);
      return Arrays.copyOf(first, shared);
    }

    int count() {
      return words.length;
    }

    /**
     * 0 when the key begins with the shared prefix, otherwise negative when it lies before all keys
     * that do, and positive when after them.
     */
    int compareWithPrefix(byte[] key, int offset, int length) {
      int shared = sharedPrefix.length;
      return Bytes.compare(key, offset, Math.min(length, shared), sharedPrefix, 0, shared);
    }

    /** The eight bytes of a key that begins with the shared prefix. */
    long word(byte[] key, int offset, int length) {
      int shared = sharedPrefix.length;
      return Bytes.prefix(key, offset + shared, length - shared) ^ Long.MIN_VALUE;
    }

    /** The eight bytes of the key with that index. */
    long word(int index) {
      return words[index];
    }

    /**
     * Index of the first key from {@code from} on whose eight bytes are not smaller, up to {@code
     * to}.
     */
    int firstNotBelow(long word, int from, int to) {
      int low = from;
      int high = to;
      while (high - low > FEW) {
        int middle = (low + high) >>> 1;
        if (words[middle] < word) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      int first = low;
      for (int i = low; i < high; i++) {
        first += words[i] < word ? 1 : 0;
      }
      return first;
    }

    /**
     * Index of the first key from {@code from} on whose eight bytes are larger, up to {@code to}.
     */
    int firstAbove(long word, int from, int to) {
      return word == Long.MAX_VALUE ? to : firstNotBelow(word + 1, from, to);
    }
  }
}
