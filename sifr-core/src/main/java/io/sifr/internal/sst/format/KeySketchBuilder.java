package io.sifr.internal.sst.format;

import java.util.Arrays;

/** Samples the keys of an SST while it is written. Used by one thread. */
public final class KeySketchBuilder {
  /** Keys of a usual SST's sample: this or half of it. */
  private static final int USUAL = 32;

  /** In an SST of many keys there is at least about one in that many, as far as there is room. */
  private static final int KEYS_PER_SAMPLE = 8192;

  private long[] sample = new long[USUAL + 1];
  private int count;
  private int level;
  private long limit = KeySketch.limit(0);
  private long keys;

  /**
   * Adds a key, each once.
   *
   * @param hash its 64-bit hash
   * @param isTombstone whether its newest version is one
   */
  public void add(long hash, boolean isTombstone) {
    keys++;
    long kept = hash >>> (Long.SIZE - KeySketch.HASH_BITS);
    if (kept < limit) {
      keep(2 * kept + (isTombstone ? 1 : 0));
    }
  }

  private void keep(long value) {
    if (count == sample.length) {
      sample = Arrays.copyOf(sample, 2 * count);
    }
    sample[count++] = value;
    long most = Math.max(USUAL, Math.min(KeySketch.MOST, keys / KEYS_PER_SAMPLE));
    while (count > most && level < KeySketch.HASH_BITS) {
      raise();
    }
  }

  private void raise() {
    level++;
    limit = KeySketch.limit(level);
    int left = 0;
    for (int i = 0; i < count; i++) {
      if (sample[i] < 2 * limit) {
        sample[left++] = sample[i];
      }
    }
    count = left;
  }

  /** The sketch of the keys so far. */
  public KeySketch toSketch() {
    long[] sorted = Arrays.copyOf(sample, count);
    Arrays.sort(sorted);
    return KeySketch.of(level, sorted);
  }
}
