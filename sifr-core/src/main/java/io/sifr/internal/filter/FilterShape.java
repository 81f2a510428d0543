package io.sifr.internal.filter;

import java.nio.ByteBuffer;

/**
 * Size and form of a blocked Bloom filter, which says whether a key may be in a set or certainly is
 * not. Blocks have 512 bits, the size of a cache line, and all probes of a key go to one block
 * (Putze, Sanders, Singler, "Cache- Hash- and Space-Efficient Bloom Filters", 2007). A JVM aligns
 * arrays to eight bytes only, so a block may lie in two neighbouring lines.
 *
 * <p>The upper half of the {@link KeyHash} chooses the block; the bits are chosen by a mix of the
 * whole hash. Nine bits of the mix select one bit of the block, so one 64-bit word gives seven
 * independent probes. At 10 bits per key, one absent key in 104 is a false positive; in a filter
 * without blocks it would be one in 120. In return, all probes together cost one cache miss instead
 * of up to six, and a filter that is not in memory can be read block by block.
 *
 * <p>Immutable; safe for any thread.
 */
public final class FilterShape {
  /** Largest number of bits per key. */
  public static final int MAX_BITS_PER_KEY = 32;

  /** Largest number of keys of a filter; an SST with more keys gets no filter. */
  static final int MAX_KEYS = 1 << 26;

  /** Longs of a block. */
  public static final int BLOCK_WORDS = 8;

  private static final int BLOCK_BITS = BLOCK_WORDS * Long.SIZE;

  /** Bits that select a bit of a block. */
  private static final int POSITION_BITS = 9;

  /** Number of probes one 64-bit word gives. */
  private static final int PROBES_A_WORD = Long.SIZE / POSITION_BITS;

  private static final int MAX_PROBES = 2 * PROBES_A_WORD;

  /** Number of probes that are made together. */
  private static final int FIRST_PROBES = 3;

  private final int blocks;
  private final int bitsPerKey;
  private final int probes;

  /**
   * The shape of a filter of that many blocks.
   *
   * @param blocks number of blocks, at least 1
   * @param bitsPerKey bits per key it was sized for, 1 to {@value #MAX_BITS_PER_KEY}
   */
  public FilterShape(int blocks, int bitsPerKey) {
    this.blocks = blocks;
    this.bitsPerKey = bitsPerKey;
    this.probes = probes(bitsPerKey);
  }

  /** The shape of a filter for that many keys. */
  static FilterShape of(int keys, int bitsPerKey) {
    return new FilterShape(blocks(keys, bitsPerKey), bitsPerKey);
  }

  /** Whether there can be such a filter. */
  public static boolean isAllowed(int blocks, int bitsPerKey) {
    return bitsPerKey >= 1
        && bitsPerKey <= MAX_BITS_PER_KEY
        && blocks >= 1
        && blocks <= blocks(MAX_KEYS, bitsPerKey);
  }

  private static int blocks(int keys, int bitsPerKey) {
    return (int) Math.max(1, ((long) keys * bitsPerKey + BLOCK_BITS - 1) / BLOCK_BITS);
  }

  /**
   * Number of probes per key. Without blocks, 0.69 times the bits per key would be best; with
   * blocks, which fill unevenly, fewer probes are better.
   */
  static int probes(int bitsPerKey) {
    return Math.min(MAX_PROBES, (3 * bitsPerKey + 4) / 5);
  }

  /** Number of blocks. */
  public int blocks() {
    return blocks;
  }

  public int bitsPerKey() {
    return bitsPerKey;
  }

  /** Number of bits of its block that each key sets. */
  public int probes() {
    return probes;
  }

  /** Number of the block that all probes of a key go to. */
  public int block(long hash) {
    return block(hash, blocks);
  }

  /** The same for a filter of that many blocks. */
  public static int block(long hash, int blocks) {
    return (int) (((hash >>> 32) * blocks) >>> 32);
  }

  private static long positions(long hash) {
    long mixed = hash * 0x9E3779B97F4A7C15L;
    return mixed ^ (mixed >>> 32);
  }

  private static long morePositions(long hash) {
    long mixed = Long.rotateLeft(hash, 29) * 0xD6E8FEB86659FD93L;
    return mixed ^ (mixed >>> 32);
  }

  /**
   * The same for a shape with that number of probes and a block in a buffer, whose words are
   * big-endian.
   */
  public static boolean mayHold(int probes, long hash, ByteBuffer block, int at) {
    long positions = positions(hash);
    int done = 0;
    if (probes >= FIRST_PROBES) {
      if ((bit(positions, block, at)
              & bit(positions >>> POSITION_BITS, block, at)
              & bit(positions >>> (2 * POSITION_BITS), block, at)
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
      if ((bit(positions, block, at) & 1) == 0) {
        return false;
      }
      positions >>>= POSITION_BITS;
    }
    return true;
  }

  /** The bit that the lowest bits of the mix select, as the lowest one of the result. */
  private static int bit(long positions, ByteBuffer block, int at) {
    int position = (int) positions & (BLOCK_BITS - 1);
    // The bytes of a word are in reverse order.
    return block.get(at + ((position >>> 3) ^ (Long.BYTES - 1))) >>> (position & 7);
  }

  /** Index, within a block, of the word that the lowest bits of the mix select. */
  private static int wordOf(long positions) {
    return (int) (positions >>> 6) & (BLOCK_WORDS - 1);
  }

  /** Adds a key to its block, which begins at a word of an array. */
  void add(long hash, long[] words, int at) {
    long positions = positions(hash);
    for (int probe = 0; probe < probes; probe++) {
      if (probe == PROBES_A_WORD) {
        positions = morePositions(hash);
      }
      words[at + wordOf(positions)] |= 1L << positions;
      positions >>>= POSITION_BITS;
    }
  }

  /**
   * Returns false only when the key with that hash is certainly not in the set.
   *
   * @param at where in the words the key's block begins
   */
  public boolean mayHold(long hash, long[] words, int at) {
    return mayHold(probes, hash, words, at);
  }

  /**
   * The same for a shape with that number of probes.
   *
   * <p>The first three bits are tested together: half of all bits are set, so a branch for each of
   * them would be mispredicted every other time, and seven of eight absent keys need no fourth
   * test.
   */
  public static boolean mayHold(int probes, long hash, long[] words, int at) {
    long positions = positions(hash);
    int done = 0;
    if (probes >= FIRST_PROBES) {
      long second = positions >>> POSITION_BITS;
      long third = positions >>> (2 * POSITION_BITS);
      if (((words[at + wordOf(positions)] >>> positions)
              & (words[at + wordOf(second)] >>> second)
              & (words[at + wordOf(third)] >>> third)
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
      if (((words[at + wordOf(positions)] >>> positions) & 1) == 0) {
        return false;
      }
      positions >>>= POSITION_BITS;
    }
    return true;
  }
}
