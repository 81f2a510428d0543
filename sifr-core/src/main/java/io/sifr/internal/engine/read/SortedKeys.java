package io.sifr.internal.engine.read;

import io.sifr.internal.entry.EntryLimits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The keys of one call, ascending and distinct, and the position of each of them in the call. */
final class SortedKeys {
  private final byte[][] keys;

  /** For each given key, its index among the sorted ones. */
  private final int[] positions;

  /**
   * @throws IllegalArgumentException when the list or a key is null, or a key too large
   */
  SortedKeys(@Nullable List<byte[]> given) {
    if (given == null) {
      throw new IllegalArgumentException("keys is null");
    }
    byte[][] all = given.toArray(new byte[0][]); // the list is the caller's, and may change
    Integer[] order = new Integer[all.length];
    for (int i = 0; i < all.length; i++) {
      EntryLimits.checkKey(all[i]);
      order[i] = i;
    }
    Arrays.sort(order, (a, b) -> Arrays.compareUnsigned(all[a], all[b]));
    positions = new int[all.length];
    byte[][] distinct = new byte[all.length][];
    int count = 0;
    for (int index : order) {
      if (count == 0 || !Arrays.equals(all[index], distinct[count - 1])) {
        distinct[count++] = all[index];
      }
      positions[index] = count - 1;
    }
    keys = Arrays.copyOf(distinct, count);
  }

  /** The keys, ascending, each once. */
  byte[][] keys() {
    return keys;
  }

  /**
   * The value of each given key. For a key given twice it is copied, so that changing one array
   * does not change the other.
   */
  List<byte @Nullable []> inGivenOrder(IntFunction<byte @Nullable []> valueAt) {
    List<byte @Nullable []> values = new ArrayList<>(positions.length);
    boolean[] isTaken = new boolean[keys.length];
    for (int position : positions) {
      byte[] value = valueAt.apply(position);
      values.add(value != null && isTaken[position] ? value.clone() : value);
      isTaken[position] = true;
    }
    return values;
  }
}
