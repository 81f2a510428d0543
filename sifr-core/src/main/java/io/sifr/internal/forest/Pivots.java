package io.sifr.internal.forest;

import io.sifr.internal.util.Bytes;

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
}
