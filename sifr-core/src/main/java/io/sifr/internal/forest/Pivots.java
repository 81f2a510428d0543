package io.sifr.internal.forest;

import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Keys that cut the key space into cells. The cells are 0 to {@link #count}; cell i begins with
 * pivot i - 1. Immutable; safe for any thread.
 */
final class Pivots {
  /** All keys in one cell. */
  static final Pivots NONE = new Pivots(new byte[0][], new Fences(0, index -> Bytes.EMPTY));

  private final byte[][] keys;
  private final Fences fences;

  private Pivots(byte[][] keys, Fences fences) {
    this.keys = keys;
    this.fences = fences;
  }

  /**
   * Other pivots, the first and the last of which are those of these.
   *
   * @param count number of pivots
   * @param first how many are the first of these, if there are so many of both
   * @param last how many are the last of these, likewise
   * @param key the others by index
   */
  Pivots replaced(int count, int first, int last, IntFunction<byte[]> key) {
    if (count <= 0) {
      return NONE;
    }
    int from = Math.max(0, Math.min(first, Math.min(count, keys.length)));
    int to = count - Math.min(last, Math.min(count - from, keys.length));
    byte[][] changed = new byte[count][];
    System.arraycopy(keys, 0, changed, 0, from);
    System.arraycopy(keys, keys.length - (count - to), changed, to, count - to);
    for (int i = from; i < to; i++) {
      changed[i] = key.apply(i);
    }
    return new Pivots(changed, fences.replaced(count, index -> changed[index], from, to));
  }

  /**
   * Each {@code step}-th of the keys with which the trees' slices begin, so that in each cell about
   * as many begin, and no more than {@code step} from one tree.
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
    byte[][] keys = chosen.toArray(new byte[0][]);
    return new Pivots(keys, new Fences(keys.length, index -> keys[index]));
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
