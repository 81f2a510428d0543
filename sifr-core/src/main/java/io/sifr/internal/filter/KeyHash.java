package io.sifr.internal.filter;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The 64-bit hash of a user key that filters use: FarmHash's Fingerprint64 (Google, 2014), which is
 * published and never changes. It is part of the format: filters on disk were built with it.
 *
 * <p>It does not resist keys chosen to collide; with such keys filters merely answer "maybe".
 */
public final class KeyHash {
  private static final HashFunction FUNCTION = Hashing.farmHashFingerprint64();

  private KeyHash() {}

  /** The hash of {@code length} bytes of an array. */
  public static long of(byte[] key, int offset, int length) {
    return FUNCTION.hashBytes(key, offset, length).asLong();
  }

  /**
   * Collects the key hashes of an SST while it is written, because the size of its filter is known
   * only at the end. Reused for the next SST of the same task. Used by one thread.
   */
  public static final class Buffer {
    private static final int FIRST_CAPACITY = 1 << 10;

    private final int bitsPerKey;
    private long[] hashes = new long[FIRST_CAPACITY];
    private int count;
    private boolean tooMany;

    /**
     * @param bitsPerKey bits per key of the filter, 1 to {@value FilterShape#MAX_BITS_PER_KEY}
     */
    public Buffer(int bitsPerKey) {
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
}
