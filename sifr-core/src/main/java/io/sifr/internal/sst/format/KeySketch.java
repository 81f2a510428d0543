package io.sifr.internal.sst.format;

import java.util.Arrays;
import java.util.Collection;

/**
 * A sample of the user keys of an SST, or of several SSTs of a tree: those whose hash begins with a
 * number of zero bits, the <em>level</em>, each with whether its newest version there is a
 * tombstone. Every SST samples by the same hash, so of two SSTs that hold the same keys the samples
 * are the same, as far as both levels go; comparing them shows without I/O how many keys several
 * SSTs have in common. Keys in a sample stand for 2^level times as many.
 *
 * <p>Immutable; safe for any thread.
 */
public final class KeySketch {
  /** Of a key's hash as many of the highest bits are kept. */
  public static final int HASH_BITS = 40;

  /** The largest sample of an SST. */
  public static final int MOST = 256;

  /** The sketch of an SST of which nothing is known. */
  public static final KeySketch NONE = new KeySketch(0, new long[0]);

  private final int level;

  /** Ascending. Twice the hash, plus one for a tombstone. */
  private final long[] sample;

  private KeySketch(int level, long[] sample) {
    this.level = level;
    this.sample = sample;
  }

  /**
   * A sketch of such a sample.
   *
   * @param level zero bits with which each hash begins, 0 to {@value #HASH_BITS}
   * @param sample twice the {@value #HASH_BITS} highest bits of each key's hash, plus one if the
   *     key's newest version is a tombstone; ascending; not copied
   * @throws IllegalArgumentException when the sample is not as it should be
   */
  public static KeySketch of(int level, long[] sample) {
    long before = 0;
    for (long value : sample) {
      if (value < before || value >= limit(level) * 2) {
        throw new IllegalArgumentException(
            "a key sketch of level " + level + " has " + value + " after " + before);
      }
      before = value;
    }
    return new KeySketch(level, sample);
  }

  /** All hashes of a level are below this. */
  static long limit(int level) {
    return 1L << (HASH_BITS - level);
  }

  /**
   * The sketch of the keys of several, of which no two have a key in common.
   *
   * @param most largest size of its sample
   */
  public static KeySketch union(Collection<KeySketch> sketches, int most) {
    int level = sketches.stream().mapToInt(KeySketch::level).max().orElse(0);
    while (level < HASH_BITS && size(sketches, level) > most) {
      level++;
    }
    long[] sample = new long[size(sketches, level)];
    int count = 0;
    for (KeySketch sketch : sketches) {
      int size = sketch.sizeAt(level);
      System.arraycopy(sketch.sample, 0, sample, count, size);
      count += size;
    }
    Arrays.sort(sample);
    return new KeySketch(level, sample);
  }

  /** Size of the samples of several sketches that belong to a level. */
  public static int size(Collection<KeySketch> sketches, int level) {
    return sketches.stream().mapToInt(sketch -> sketch.sizeAt(level)).sum();
  }

  /** Zero bits with which the hash of each key of the sample begins. */
  public int level() {
    return level;
  }

  /** Keys of the sample. */
  public int size() {
    return sample.length;
  }

  /**
   * How many keys of the sample belong to a level that is not lower than its own; they come first.
   */
  public int sizeAt(int higherLevel) {
    if (higherLevel <= level) {
      return sample.length;
    }
    int at = Arrays.binarySearch(sample, limit(higherLevel) * 2);
    if (at < 0) {
      return -at - 1;
    }
    while (at > 0 && sample[at - 1] == sample[at]) {
      at--;
    }
    return at;
  }

  /**
   * A key of the sample, in ascending order.
   *
   * @return twice its hash, plus one if its newest version is a tombstone
   */
  public long get(int index) {
    return sample[index];
  }

  /** Samples the keys of an SST while it is written. Used by one thread. */
  public static final class Builder {
    /** Keys of a usual SST's sample: this or half of it. */
    private static final int USUAL = 32;

    /** In an SST of many keys there is at least about one in that many, as far as there is room. */
    private static final int KEYS_PER_SAMPLE = 8192;

    /** A key with a value in a value file stands for so much that it counts as so many. */
    private static final int KEYS_PER_SEPARATED_VALUE = 2048;

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
     * @param isSeparated whether its newest version has a value in a value file
     */
    public void add(long hash, boolean isTombstone, boolean isSeparated) {
      keys += isSeparated ? KEYS_PER_SEPARATED_VALUE : 1;
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
}
