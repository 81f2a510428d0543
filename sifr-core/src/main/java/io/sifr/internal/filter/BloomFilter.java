package io.sifr.internal.filter;

import java.nio.ByteBuffer;

/**
 * A blocked Bloom filter: tells whether a key hash may be in a set or certainly is not. Blocks have
 * 512 bits, the size of a cache line, and all probes of a key go to one block (Putze, Sanders,
 * Singler, "Cache- Hash- and Space-Efficient Bloom Filters", 2007). A JVM aligns arrays to eight
 * bytes only, so a block may lie in two neighbouring lines.
 *
 * <p>The upper half of the hash chooses the block; the bits are chosen by a mix of the whole hash.
 * Nine bits of the mix select one bit of the block, so one 64-bit word gives seven independent
 * probes. At 10 bits per key, one absent key in 104 is a false positive; in a filter without blocks
 * it would be one in 120. In return, all probes together cost one cache miss instead of up to six.
 *
 * <p>Immutable; safe for any thread.
 */
public final class BloomFilter {
  /** Largest number of bits per key. */
  public static final int MAX_BITS_PER_KEY = 32;

  /** Largest number of keys of a filter; an SST with more keys gets no filter. */
  static final int MAX_KEYS = 1 << 26;

  static final int BLOCK_BYTES = 64;

  private static final int BLOCK_BITS = 8 * BLOCK_BYTES;
  private static final int BLOCK_WORDS = BLOCK_BYTES / Long.BYTES;

  /** Bits that select a bit of a block. */
  private static final int POSITION_BITS = 9;

  /** Number of probes one 64-bit word gives. */
  private static final int PROBES_A_WORD = Long.SIZE / POSITION_BITS;

  private static final int MAX_PROBES = 2 * PROBES_A_WORD;

  /** Number of probes that are made together. */
  private static final int FIRST_PROBES = 3;

  private final int bitsPerKey;
  private final int keys;
  private final int blocks;
  private final int probes;
  private final long[] words;

  private BloomFilter(int bitsPerKey, int keys, long[] words) {
    this.bitsPerKey = bitsPerKey;
    this.keys = keys;
    this.words = words;
    this.blocks = words.length / BLOCK_WORDS;
    this.probes = probes(bitsPerKey);
  }

  /**
   * Builds a filter from key hashes.
   *
   * @param hashes their {@link KeyHash}es, each key once
   * @param keys how many of the hashes to use, starting with the first
   */
  static BloomFilter of(long[] hashes, int keys, int bitsPerKey) {
    long[] words = new long[blocks(keys, bitsPerKey) * BLOCK_WORDS];
    int probes = probes(bitsPerKey);
    int blocks = words.length / BLOCK_WORDS;
    for (int i = 0; i < keys; i++) {
      long hash = hashes[i];
      int block = block(hash, blocks);
      long positions = positions(hash);
      for (int probe = 0; probe < probes; probe++) {
        if (probe == PROBES_A_WORD) {
          positions = morePositions(hash);
        }
        words[block + wordOf(positions)] |= 1L << positions;
        positions >>>= POSITION_BITS;
      }
    }
    return new BloomFilter(bitsPerKey, keys, words);
  }

  /**
   * Decodes a filter. The caller has verified its checksum.
   *
   * @param encoded {@link #bytes} bytes, big-endian words
   */
  static BloomFilter decode(int bitsPerKey, int keys, ByteBuffer encoded) {
    long[] words = new long[encoded.remaining() / Long.BYTES];
    encoded.asLongBuffer().get(words);
    return new BloomFilter(bitsPerKey, keys, words);
  }

  /** Encodes the filter: puts {@link #bytes} bytes at the buffer's position. */
  void encodeTo(ByteBuffer target) {
    target.asLongBuffer().put(words);
    target.position(target.position() + bytes());
  }

  /** Number of blocks for that many keys; at least one. */
  private static int blocks(int keys, int bitsPerKey) {
    return (int) Math.max(1, ((long) keys * bitsPerKey + BLOCK_BITS - 1) / BLOCK_BITS);
  }

  /** Size in bytes of a filter for that many keys. */
  static int bytes(int keys, int bitsPerKey) {
    return blocks(keys, bitsPerKey) * BLOCK_BYTES;
  }

  /**
   * Number of probes per key. Without blocks, 0.69 times the bits per key would be best; with
   * blocks, which fill unevenly, fewer probes are better.
   */
  static int probes(int bitsPerKey) {
    return Math.min(MAX_PROBES, (3 * bitsPerKey + 4) / 5);
  }

  private static int block(long hash, int blocks) {
    return (int) (((hash >>> 32) * blocks) >>> 32) * BLOCK_WORDS;
  }

  private static long positions(long hash) {
    long mixed = hash * 0x9E3779B97F4A7C15L;
    return mixed ^ (mixed >>> 32);
  }

  private static long morePositions(long hash) {
    long mixed = Long.rotateLeft(hash, 29) * 0xD6E8FEB86659FD93L;
    return mixed ^ (mixed >>> 32);
  }

  /** Index, within a block, of the word that the lowest bits of the mix select. */
  private static int wordOf(long positions) {
    return (int) (positions >>> 6) & (BLOCK_WORDS - 1);
  }

  /**
   * Returns false only when the key with that hash is certainly not in the set.
   *
   * <p>The first three bits are tested together: half of all bits are set, so a branch for each of
   * them would be mispredicted every other time, and seven of eight absent keys need no fourth
   * test.
   */
  public boolean mayHold(long hash) {
    int block = block(hash, blocks);
    long positions = positions(hash);
    int done = 0;
    if (probes >= FIRST_PROBES) {
      long second = positions >>> POSITION_BITS;
      long third = positions >>> (2 * POSITION_BITS);
      if (((words[block + wordOf(positions)] >>> positions)
              & (words[block + wordOf(second)] >>> second)
              & (words[block + wordOf(third)] >>> third)
              & 1)
          == 0) {
        return false;
      }
      positions >>>= FIRST_PROBES * POSITION_BITS;
      done = FIRST_PROBES;
    }
    for (int probe = done; probe < probes; probe++) {
      if (probe == PROBES_A_WORD) {
        positions = morePositions(hash);
      }
      if (((words[block + wordOf(positions)] >>> positions) & 1) == 0) {
        return false;
      }
      positions >>>= POSITION_BITS;
    }
    return true;
  }

  /** Bits per key it was built with. */
  public int bitsPerKey() {
    return bitsPerKey;
  }

  /** Number of keys in the set. */
  public int keys() {
    return keys;
  }

  /** Size in bytes, in memory and encoded; a multiple of {@value #BLOCK_BYTES}. */
  public int bytes() {
    return words.length * Long.BYTES;
  }
}
