package io.sifr.internal.filter;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import io.sifr.config.KeyPrefix;
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

  /** The hash of a prefix: not that of the key which consists of the same bytes. */
  public static long ofPrefix(byte[] key, int offset, int length) {
    return ~of(key, offset, length);
  }

  /**
   * Collects the key hashes of an SST while it is written, because the size of its filter is known
   * only at the end. Reused for the next SST of the same task. Used by one thread.
   */
  public static final class Buffer {
    private static final int FIRST_CAPACITY = 1 << 10;

    private final int bitsPerKey;
    private final @Nullable KeyPrefix prefix;
    private long[] hashes = new long[FIRST_CAPACITY];
    private int count;
    private boolean tooMany;

    /**
     * @param bitsPerKey bits per key of the filter, 1 to {@value FilterShape#MAX_BITS_PER_KEY}
     */
    public Buffer(int bitsPerKey) {
      this(bitsPerKey, null);
    }

    /**
     * As above.
     *
     * @param prefix which parts of keys the filter knows as well; null: none
     */
    public Buffer(int bitsPerKey, @Nullable KeyPrefix prefix) {
      this.bitsPerKey = bitsPerKey;
      this.prefix = prefix;
    }

    /** The parts of keys that it collects besides the keys; null: none. */
    public @Nullable KeyPrefix prefix() {
      return prefix;
    }

    /**
     * Adds the prefix of a key, if it has one that the key before it did not have.
     *
     * @param common how many bytes it has in common with that
     */
    public void addPrefixOf(byte[] key, int offset, int length, int common) {
      int bytes = prefix == null ? -1 : prefix.lengthIn(key, offset, length);
      if (bytes > common) {
        add(ofPrefix(key, offset, bytes));
      }
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
