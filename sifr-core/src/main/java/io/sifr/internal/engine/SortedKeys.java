package io.sifr.internal.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The keys of one call, ascending and each once, and where each of them was in the call. */
final class SortedKeys {
  private final byte[][] keys;

  /** For each key that was given, its place among the sorted ones. */
  private final int[] places;

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
      BatchBuffer.checkKey(all[i]);
      order[i] = i;
    }
    Arrays.sort(order, (a, b) -> Arrays.compareUnsigned(all[a], all[b]));
    places = new int[all.length];
    byte[][] distinct = new byte[all.length][];
    int count = 0;
    for (int index : order) {
      if (count == 0 || !Arrays.equals(all[index], distinct[count - 1])) {
        distinct[count++] = all[index];
      }
      places[index] = count - 1;
    }
    keys = Arrays.copyOf(distinct, count);
  }

  /** The keys, ascending, each once. */
  byte[][] keys() {
    return keys;
  }

  /**
   * A value for each key that was given. A key given twice has two values of its own: who changes
   * one array does not change the other.
   */
  List<byte @Nullable []> inGivenOrder(IntFunction<byte @Nullable []> valueOfPlace) {
    List<byte @Nullable []> values = new ArrayList<>(places.length);
    boolean[] isTaken = new boolean[keys.length];
    for (int place : places) {
      byte[] value = valueOfPlace.apply(place);
      values.add(value != null && isTaken[place] ? value.clone() : value);
      isTaken[place] = true;
    }
    return values;
  }
}
