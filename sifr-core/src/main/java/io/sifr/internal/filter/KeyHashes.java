package io.sifr.internal.filter;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the key hashes of an SST while it is written, because the size of its filter is known
 * only at the end. Reused for the next SST of the same task. Used by one thread.
 */
public final class KeyHashes {
  private static final int FIRST_CAPACITY = 1 << 10;

  private final int bitsPerKey;
  private long[] hashes = new long[FIRST_CAPACITY];
  private int count;
  private boolean tooMany;

  /**
   * @param bitsPerKey bits per key of the filter, 1 to {@value FilterShape#MAX_BITS_PER_KEY}
   */
  public KeyHashes(int bitsPerKey) {
    this.bitsPerKey = bitsPerKey;
  }

  /** Adds the {@link KeyHash} of a key that was not added before. */
  public void add(long hash) {
    if (count == hashes.length) {
      if (count == FilterShape.MAX_KEYS) {
        tooMany = true;
        return;
      }
      hashes = Arrays.copyOf(hashes, 2 * count);
    }
    hashes[count++] = hash;
  }

  /** Removes all keys. */
  public void clear() {
    count = 0;
    tooMany = false;
  }

  /** The shape of a filter of the keys so far; null when there are none, or too many for one. */
  public @Nullable FilterShape shape() {
    return tooMany || count == 0 ? null : FilterShape.of(count, bitsPerKey);
  }

  /** The blocks of the filter of that {@link #shape}, one after the other. */
  public long[] toFilter(FilterShape shape) {
    long[] words = new long[shape.blocks() * FilterShape.BLOCK_WORDS];
    for (int i = 0; i < count; i++) {
      long hash = hashes[i];
      shape.add(hash, words, shape.block(hash) * FilterShape.BLOCK_WORDS);
    }
    return words;
  }
}
