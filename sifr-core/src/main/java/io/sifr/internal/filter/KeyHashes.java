package io.sifr.internal.filter;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the hashes of the keys of an SST while it is written: how large its filter has to be is
 * known at the end only. Used again for the next SST of the same task. Used by one thread.
 */
public final class KeyHashes {
  private static final int FIRST_CAPACITY = 1 << 10;

  private long[] hashes = new long[FIRST_CAPACITY];
  private int count;
  private boolean tooMany;

  /** Adds a key that was not added before. */
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

  /** Forgets all keys. */
  public void clear() {
    count = 0;
    tooMany = false;
  }

  /**
   * A filter that holds them; null when there are none, or more than a filter is made for.
   *
   * @param bitsPerKey 1 to {@value BloomFilter#MAX_BITS_PER_KEY}
   */
  public @Nullable BloomFilter toFilter(int bitsPerKey) {
    return tooMany || count == 0 ? null : BloomFilter.of(hashes, count, bitsPerKey);
  }
}
