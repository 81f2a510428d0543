package io.sifr.internal.forest;

import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keys that cut the key space into cells, in each of which about as many SSTs begin. The cells are
 * 0 to {@link #count}; cell i begins with pivot i - 1. Immutable; safe for any thread.
 */
final class Pivots {
  /** All keys in one cell. */
  static final Pivots NONE = new Pivots(new byte[0][]);

  private final byte[][] keys;
  private final Fences fences;

  private Pivots(byte[][] keys) {
    this.keys = keys;
    this.fences = new Fences(keys.length, index -> keys[index]);
  }

  /**
   * Each {@code step}-th of the keys with which the trees' slices begin. So no cell holds more than
   * {@code step} of them from one tree.
   */
  static Pivots choose(List<LogicalTree> trees, int step) {
    List<byte[]> chosen = new ArrayList<>();
    int next = step / 2;
    for (LogicalTree tree : trees) {
      int slices = tree.slices().size();
      for (; next < slices; next += step) {
        chosen.add(tree.slices().get(next).smallestKey());
      }
      next -= slices;
    }
    chosen.sort(Arrays::compareUnsigned);
    return new Pivots(chosen.toArray(new byte[0][]));
  }

  int count() {
    return keys.length;
  }

  byte[] key(int index) {
    return keys[index];
  }

  /**
   * The fences of the pivots. The keys of all inner cells begin with the prefix that the pivots
   * share.
   */
  Fences fences() {
    return fences;
  }

  /** The cell a key lies in. */
  int cell(byte[] key, int offset, int length) {
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

  /** Whether the cell has a pivot on both sides. */
  boolean isInner(int cell) {
    return cell > 0 && cell < keys.length;
  }
}
