package io.sifr.internal.filter;

import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The 64-bit hash of a user key that filters use. It is part of the format: filters on disk were
 * built with it, so it never changes without a new format version.
 *
 * <p>Each step multiplies sixteen bytes to 128 bits and folds the two halves into each other: two
 * multiplications a step, every bit of the key affects every bit of the hash, and nothing is
 * allocated. It does not resist keys chosen to collide; with such keys filters merely answer
 * "maybe".
 */
public final class KeyHash {
  // Odd, with about as many ones as zeros: digits of the square roots of 2, 3 and 5.
  private static final long A = 0x6A09E667F3BCC909L;
  private static final long B = 0xBB67AE8584CAA73BL;
  private static final long C = 0x3C6EF372FE94F82BL;

  private KeyHash() {}

  /** The hash of {@code length} bytes of an array. */
  public static long of(byte[] key, int offset, int length) {
    long hash = C;
    int end = offset + length;
    for (int at = offset; at < end - 16; at += 16) {
      hash = fold(Bytes.getLong(key, at) ^ A, Bytes.getLong(key, at + 8) ^ hash);
    }
    // The last sixteen bytes, some of which the loop may have processed already: so no branch
    // depends on the length of a long key. In a shorter key the two words overlap or are the same;
    // the length, which is mixed in at the end, makes the difference.
    long first = 0;
    long second = 0;
    if (length >= 16) {
      first = Bytes.getLong(key, end - 16);
      second = Bytes.getLong(key, end - 8);
    } else if (length >= 8) {
      first = Bytes.getLong(key, offset);
      second = Bytes.getLong(key, end - 8);
    } else if (length >= 4) {
      first = Bytes.getInt(key, offset);
      second = Bytes.getInt(key, end - 4);
    } else if (length > 0) {
      first = ((key[offset] & 0xFFL) << 8) | (key[offset + length / 2] & 0xFFL);
      second = key[end - 1];
    }
    return fold(fold(first ^ A, second ^ hash) ^ B, length ^ C);
  }

  private static long fold(long a, long b) {
    return Math.multiplyHigh(a, b) ^ (a * b);
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
