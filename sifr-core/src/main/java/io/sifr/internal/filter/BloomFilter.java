package io.sifr.internal.filter;

import java.nio.ByteBuffer;

/**
 * Says of a key hash that it is not in a set, or that it may be: a Bloom filter in blocks of 512
 * bits, the size of a cache line, all probes of a key in one block (Putze, Sanders, Singler,
 * "Cache- Hash- and Space-Efficient Bloom Filters", 2007). A JVM aligns arrays to eight bytes only,
 * so a block may lie in two neighbouring lines.
 *
 * <p>The upper half of the hash chooses the block, a mixture of all of it the bits: nine bits of
 * that are a place in the block, so one word gives seven probes that depend on nothing but chance.
 * At 10 bits a key one absent key in 104 passes, where a filter that is not blocked would let one
 * in 120 pass; what the probes cost is one cache miss instead of up to six.
 *
 * <p>Immutable; safe for any thread.
 */
public final class BloomFilter {
  /** Bits a key there may be. */
  public static final int MAX_BITS_PER_KEY = 32;

  /** Keys a filter is made for; for more than these there is none. */
  static final int MAX_KEYS = 1 << 26;

  static final int BLOCK_BYTES = 64;

  private static final int BLOCK_BITS = 8 * BLOCK_BYTES;
  private static final int BLOCK_WORDS = BLOCK_BYTES / Long.BYTES;

  /** Bits of a place in a block. */
  private static final int PLACE_BITS = 9;

  /** Probes that one word of 64 bits gives. */
  private static final int PROBES_A_WORD = Long.SIZE / PLACE_BITS;

  private static final int MAX_PROBES = 2 * PROBES_A_WORD;

  /** Probes that are made at once. */
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
   * A filter that holds keys.
   *
   * @param hashes their {@link KeyHash}es, each key once
   * @param keys how many of those count, from the first on
   */
  static BloomFilter of(long[] hashes, int keys, int bitsPerKey) {
    long[] words = new long[blocks(keys, bitsPerKey) * BLOCK_WORDS];
    int probes = probes(bitsPerKey);
    int blocks = words.length / BLOCK_WORDS;
    for (int i = 0; i < keys; i++) {
      long hash = hashes[i];
      int block = block(hash, blocks);
      long places = places(hash);
      for (int probe = 0; probe < probes; probe++) {
        if (probe == PROBES_A_WORD) {
          places = morePlaces(hash);
        }
        words[block + wordOf(places)] |= 1L << places;
        places >>>= PLACE_BITS;
      }
    }
    return new BloomFilter(bitsPerKey, keys, words);
  }

  /**
   * A filter from its encoded form, whose checksum is right.
   *
   * @param encoded {@link #bytes} bytes, big-endian words
   */
  static BloomFilter decode(int bitsPerKey, int keys, ByteBuffer encoded) {
    long[] words = new long[encoded.remaining() / Long.BYTES];
    encoded.asLongBuffer().get(words);
    return new BloomFilter(bitsPerKey, keys, words);
  }

  /** Puts {@link #bytes} bytes at the buffer's position. */
  void encodeTo(ByteBuffer target) {
    target.asLongBuffer().put(words);
    target.position(target.position() + bytes());
  }

  /** Whole blocks that many keys take; at least one. */
  private static int blocks(int keys, int bitsPerKey) {
    return (int) Math.max(1, ((long) keys * bitsPerKey + BLOCK_BITS - 1) / BLOCK_BITS);
  }

  /** Bytes of a filter for so many keys. */
  static int bytes(int keys, int bitsPerKey) {
    return blocks(keys, bitsPerKey) * BLOCK_BYTES;
  }

  /**
   * How many bits stand for a key. What is best for a filter without blocks is 0.69 of the bits a
   * key; in blocks some get more keys than others, and fewer probes are better.
   */
  static int probes(int bitsPerKey) {
    return Math.min(MAX_PROBES, (3 * bitsPerKey + 4) / 5);
  }

  private static int block(long hash, int blocks) {
    return (int) (((hash >>> 32) * blocks) >>> 32) * BLOCK_WORDS;
  }

  private static long places(long hash) {
    long mixed = hash * 0x9E3779B97F4A7C15L;
    return mixed ^ (mixed >>> 32);
  }

  private static long morePlaces(long hash) {
    long mixed = Long.rotateLeft(hash, 29) * 0xD6E8FEB86659FD93L;
    return mixed ^ (mixed >>> 32);
  }

  /** Where in a block the word is that the lowest place means. */
  private static int wordOf(long places) {
    return (int) (places >>> 6) & (BLOCK_WORDS - 1);
  }

  /**
   * False when the key of that hash is not in the set for sure.
   *
   * <p>The first three places are looked at together: half of the bits are set, so a branch for
   * each of them would be mispredicted every other time, and seven of eight absent keys need no
   * fourth.
   */
  public boolean mayHold(long hash) {
    int block = block(hash, blocks);
    long places = places(hash);
    int done = 0;
    if (probes >= FIRST_PROBES) {
      long second = places >>> PLACE_BITS;
      long third = places >>> (2 * PLACE_BITS);
      if (((words[block + wordOf(places)] >>> places)
              & (words[block + wordOf(second)] >>> second)
              & (words[block + wordOf(third)] >>> third)
              & 1)
          == 0) {
        return false;
      }
      places >>>= FIRST_PROBES * PLACE_BITS;
      done = FIRST_PROBES;
    }
    for (int probe = done; probe < probes; probe++) {
      if (probe == PROBES_A_WORD) {
        places = morePlaces(hash);
      }
      if (((words[block + wordOf(places)] >>> places) & 1) == 0) {
        return false;
      }
      places >>>= PLACE_BITS;
    }
    return true;
  }

  /** Bits a key it was made with. */
  public int bitsPerKey() {
    return bitsPerKey;
  }

  /** Keys it holds. */
  public int keys() {
    return keys;
  }

  /** Bytes it takes, here and encoded; a multiple of {@value #BLOCK_BYTES}. */
  public int bytes() {
    return words.length * Long.BYTES;
  }
}
