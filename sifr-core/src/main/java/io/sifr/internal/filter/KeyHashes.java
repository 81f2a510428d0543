package io.sifr.internal.filter;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the key hashes of an SST while it is written, because the size of its filter is known
 * only at the end. Reused for the next SST of the same task. Used by one thread.
 */
public final class KeyHashes {
  private static final int FIRST_CAPACITY = 1 << 10;

  private long[] hashes = new long[FIRST_CAPACITY];
  private int count;
  private boolean tooMany;

  /** Adds a key, which must not have been added before. */
  public void add(byte[] key, int offset, int length) {
    if (count == hashes.length) {
      if (count == BloomFilter.MAX_KEYS) {
        tooMany = true;
        return;
      }
      hashes = Arrays.copyOf(hashes, 2 * count);
    }
    hashes[count++] = KeyHash.of(key, offset, length);
  }

  /** Removes all keys. */
  public void clear() {
    count = 0;
    tooMany = false;
  }

  /**
   * Builds a filter of the collected keys; null when there are none, or too many for a filter.
   *
   * @param bitsPerKey 1 to {@value BloomFilter#MAX_BITS_PER_KEY}
   */
  public @Nullable BloomFilter toFilter(int bitsPerKey) {
    return tooMany || count == 0 ? null : BloomFilter.of(hashes, count, bitsPerKey);
  }
}
