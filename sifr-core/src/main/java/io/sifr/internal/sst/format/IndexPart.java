package io.sifr.internal.sst.format;

import io.sifr.internal.cache.CacheArea;
import io.sifr.internal.cache.CacheUse;
import io.sifr.internal.cache.CachedTable;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A part of an SST's index in memory: the fences and offsets of successive blocks, and what is
 * known of these blocks. A block is located through its part alone, so the part is used at least as
 * often as any of its blocks, and its blocks are evicted with it. In the part, blocks are numbered
 * from 0.
 *
 * <p>Thread-safe.
 */
public final class IndexPart extends CacheArea.Item {
  // What is known of a block in a mapping.
  public static final byte UNCHECKED = 0;
  public static final byte PLAIN = 1;
  public static final byte ENCODED = 2;

  /** Heap of the objects themselves, about. */
  private static final int OWN_BYTES = 256;

  /** Heap for each block beside its fence: offset with state, place in the table. */
  private static final int BYTES_PER_BLOCK = 2 * Integer.BYTES;

  /** The bits of an offset that no offset of a page has. */
  private static final int KNOWN_BITS = SstFormat.PAGE_BYTES - 1;

  private final int number;
  private final int firstBlock;

  /**
   * Of block i, the offset of its first page, and in the lowest bits what is known of it; the last
   * element is the end of the last block. Both are needed at the same time, and are in one line.
   * What is known is written without a lock: a thread that does not see it just checks again.
   */
  private final int[] pages;

  private final Fences fences;

  /** Blocks in the store's own memory. */
  private final CachedTable.Blocks blocks;

  /**
   * @param number number of the part
   * @param firstBlock number of its first block in the SST
   * @param pages offsets of the blocks' first pages, and the end of the last one
   * @param fences those of all blocks but the first
   * @param blocks for those of its blocks that the cache keeps
   */
  IndexPart(int number, int firstBlock, int[] pages, Fences fences, CachedTable.Blocks blocks) {
    this.number = number;
    this.firstBlock = firstBlock;
    this.pages = pages;
    this.fences = fences;
    this.blocks = blocks;
  }

  /** Number of the part in the SST. */
  public int number() {
    return number;
  }

  /** Number of its first block in the SST. */
  public int firstBlock() {
    return firstBlock;
  }

  /** Number of its blocks. */
  public int blocks() {
    return pages.length - 1;
  }

  /** Offset of a block in the file. */
  public int offset(int block) {
    int page = pageStart(block);
    return page == 0 ? FileHeader.BYTES : page;
  }

  /** Offset of a block's end in the file. */
  public int end(int block) {
    return pageStart(block + 1);
  }

  /** Size of a block in the file. */
  public int bytes(int block) {
    return end(block) - offset(block);
  }

  /** Offset of a block's first page, which may also hold the file's header. */
  public int pageStart(int block) {
    return pages[block] & ~KNOWN_BITS;
  }

  /** Number of pages a block occupies. */
  public int pages(int block) {
    return (end(block) - pageStart(block)) / SstFormat.PAGE_BYTES;
  }

  /**
   * The block with the newest version of the key that a reader at {@code sequence} may see, if
   * there is one, and if this part is that of the key.
   */
  public int find(byte[] key, int offset, int length, long sequence) {
    return fences.find(key, offset, length, sequence);
  }

  /** Touches what {@link #find} reads first. Returns a sum of it, which is hardly ever 0. */
  public long touch() {
    return fences.touch() + pages.length;
  }

  /** The fences of all blocks but the first, which has its fence in the top. */
  public Fences fences() {
    return fences;
  }

  /** The blocks that are in the store's own memory. */
  public CachedTable.Blocks table() {
    return blocks;
  }

  /** What is known of a block in a mapping. */
  public byte known(int block) {
    return (byte) (pages[block] & KNOWN_BITS);
  }

  /** Records what was found out about a block. */
  public void know(int block, byte state) {
    pages[block] = pageStart(block) | state;
  }

  /** Has each block of a mapping checked again when it is used next. */
  public void distrust() {
    for (int block = 0; block < blocks(); block++) {
      know(block, UNCHECKED);
    }
  }

  /** Keeps none of its blocks from now on. For a part that is not kept itself. */
  public void keepNothing() {
    blocks.close();
  }

  @Override
  public int bytes() {
    return OWN_BYTES + blocks() * BYTES_PER_BLOCK + fences.bytes();
  }

  @Override
  public CacheUse use() {
    return CacheUse.INDEXES;
  }

  @Override
  protected void dropped() {
    blocks.close();
  }

  /**
   * Ascending fences in compact arrays: which of the things that they separate may hold a key. One
   * fence less than there are things, since the first needs none.
   *
   * <p>The common prefix of all fences is stripped, and of the next eight bytes of each all bits
   * but the last are kept as a number: further bytes are compared only on a tie. Mostly there are
   * none, since fences are as short as separators can be. The numbers are in groups of {@value
   * #GROUP}, and above them are the last ones of all groups, in groups again: a B-tree without
   * pointers. A search counts all smaller ones of a group, so that the processor fetches the lines
   * of a group at the same time, where a binary search would wait for one after the other.
   * Immutable; safe for any thread.
   */
  public static final class Fences {
    /** Stands for the sequence number of a fence without one. */
    static final long NO_SEQUENCE = Trailer.MAX_SEQUENCE;

    private static final int GROUP_BITS = 4;

    /** Fences of a group: two lines. */
    private static final int GROUP = 1 << GROUP_BITS;

    /** The top level may have so many, since their lines are fetched at the same time, too. */
    private static final int MOST_AT_TOP = 2 * GROUP;

    private static final int WORDS_OF_LINE = 8;

    /** A tail is the last bit of eight bytes, above the number of these that belong to the key. */
    private static final int TAIL_BIT = 4;

    private final byte[] common;

    private final int count;

    /** The top has one word for so many fences, given as a power of two. */
    private final int topShift;

    /**
     * The first 63 bits after the common bytes, so that differences do not overflow: those of each
     * level, the top first, and last those of all fences, from {@link #leaves} on.
     */
    private final long[] words;

    /** The tail of each fence. */
    private final byte[] tails;

    /** Bytes that follow the prefixes. */
    private final byte[] rests;

    /** The end of each rest; null when there are none. */
    private final int @Nullable [] restEnds;

    private final long @Nullable [] sequences; // null when no fence has one

    private Fences(byte[] fences, int[] fenceEnds, int count, long @Nullable [] sequences) {
      int stripped = 0;
      if (count > 0) {
        int last = count == 1 ? 0 : fenceEnds[count - 2];
        stripped =
            Bytes.commonPrefix(fences, 0, fenceEnds[0], fences, last, fenceEnds[count - 1] - last);
      }
      this.common = Arrays.copyOf(fences, stripped);
      this.sequences = sequences == null ? null : Arrays.copyOf(sequences, count);
      this.count = count;
      this.topShift = topShift(count);
      this.words = new long[wordCount(count, topShift)];
      this.tails = new byte[count];
      int leaves = leaves();
      int rest = 0;
      int from = 0;
      for (int i = 0; i < count; i++) {
        int length = fenceEnds[i] - from - stripped;
        long prefix = Bytes.prefix(fences, from + stripped, length);
        words[leaves + i] = prefix >>> 1;
        int ofKey = length < Long.BYTES ? length : Long.BYTES;
        tails[i] = (byte) ((prefix & 1) << TAIL_BIT | ofKey);
        rest += length - ofKey;
        from = fenceEnds[i];
      }
      int at = leaves();
      for (int shift = GROUP_BITS; shift <= topShift; shift += GROUP_BITS) {
        at -= count >>> shift;
        for (int i = 0; i < count >>> shift; i++) {
          words[at + i] = words[leaves() + ((i + 1) << shift) - 1];
        }
      }
      this.rests = rest == 0 ? Bytes.EMPTY : new byte[rest];
      this.restEnds = rest == 0 ? null : restEnds(fences, fenceEnds, count, stripped);
    }

    /** Copies the rests; returns where each ends. */
    private int[] restEnds(byte[] fences, int[] fenceEnds, int count, int stripped) {
      int[] ends = new int[count];
      int from = 0;
      int to = 0;
      for (int i = 0; i < count; i++) {
        int start = from + stripped + prefixLength(i);
        if (fenceEnds[i] > start) {
          System.arraycopy(fences, start, rests, to, fenceEnds[i] - start);
          to += fenceEnds[i] - start;
        }
        ends[i] = to;
        from = fenceEnds[i];
      }
      return ends;
    }

    private static int topShift(int count) {
      int shift = 0;
      while (count >>> shift > MOST_AT_TOP) {
        shift += GROUP_BITS;
      }
      return shift;
    }

    private static int wordCount(int count, int topShift) {
      int words = 0;
      for (int shift = 0; shift <= topShift; shift += GROUP_BITS) {
        words += count >>> shift;
      }
      return words;
    }

    private int leaves() {
      return words.length - count;
    }

    private static byte tail(long prefix, int length) {
      return (byte) ((prefix & 1) << TAIL_BIT | Math.min(Long.BYTES, length));
    }

    private int prefixLength(int fence) {
      return tails[fence] & ((1 << TAIL_BIT) - 1);
    }

    /** About the heap it takes. */
    int bytes() {
      return common.length
          + words.length * Long.BYTES
          + tails.length
          + rests.length
          + (restEnds == null ? 0 : restEnds.length * Integer.BYTES)
          + (sequences == null ? 0 : sequences.length * Long.BYTES);
    }

    /** Length of the key of a fence. */
    int length(int fence) {
      return common.length + prefixLength(fence) + restEnd(fence) - restStart(fence);
    }

    /** A copy of the key of a fence. */
    public byte[] key(int fence) {
      byte[] prefix = new byte[Long.BYTES];
      Bytes.putLong(prefix, 0, words[leaves() + fence] << 1 | tails[fence] >>> TAIL_BIT);
      int prefixLength = prefixLength(fence);
      byte[] key = Arrays.copyOf(common, length(fence));
      System.arraycopy(prefix, 0, key, common.length, prefixLength);
      int from = restStart(fence);
      System.arraycopy(rests, from, key, common.length + prefixLength, restEnd(fence) - from);
      return key;
    }

    /**
     * Number of fences that are not after (key, sequence), which is also the number of the thing
     * with the newest version of the key that a reader at {@code sequence} may see, if there is
     * one.
     */
    int find(byte[] key, int offset, int length, long sequence) {
      int stripped = common.length;
      if (stripped > 0) {
        int order = Bytes.compare(key, offset, Math.min(length, stripped), common, 0, stripped);
        if (order != 0) {
          return order < 0 ? 0 : count;
        }
      }
      long word = Bytes.prefix(key, offset + stripped, length - stripped) >>> 1;
      int after = countBelow(word + 1);
      if (after > 0 && words[leaves() + after - 1] == word) {
        return countEqualUpTo(word, after, key, offset + stripped, length - stripped, sequence);
      }
      return after;
    }

    /** Touches the first lines that a search reads. */
    long touch() {
      long sum = common.length;
      for (int i = 0; i < Math.min(words.length, MOST_AT_TOP); i += WORDS_OF_LINE) {
        sum += words[i];
      }
      return sum;
    }

    /** Number of fences whose word is below a bound, which may be one more than any word is. */
    private int countBelow(long bound) {
      int below = 0;
      int level = 0;
      for (int shift = topShift; shift >= 0; shift -= GROUP_BITS) {
        int size = count >>> shift;
        int from = below << GROUP_BITS;
        int to = shift == topShift ? size : Math.min(from + GROUP, size);
        below = from;
        for (int i = level + from; i < level + to; i++) {
          below += (int) ((words[i] - bound) >>> (Long.SIZE - 1)); // the sign: no branch
        }
        level += size;
      }
      return below;
    }

    /** Searches among the fences whose words are that of the key. */
    private int countEqualUpTo(
        long word, int after, byte[] key, int offset, int length, long sequence) {
      int low = countBelow(word);
      int high = after;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (compareTail(middle, key, offset, length, sequence) <= 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    /** Compares a fence with an entry that has the same word. */
    private int compareTail(int fence, byte[] key, int offset, int length, long sequence) {
      // Of two keys with the same prefix, the one that has fewer bytes of it is the shorter one:
      // the other continues with zeros.
      int order = tails[fence] - tail(Bytes.prefix(key, offset, length), length);
      if (order == 0) {
        int inPrefix = prefixLength(fence);
        int from = restStart(fence);
        order =
            Bytes.compare(
                rests, from, restEnd(fence) - from, key, offset + inPrefix, length - inPrefix);
      }
      return order != 0 ? order : Long.compare(sequence, sequenceOf(fence));
    }

    private long sequenceOf(int fence) {
      return sequences == null ? NO_SEQUENCE : sequences[fence];
    }

    private int restStart(int fence) {
      return restEnds == null || fence == 0 ? 0 : restEnds[fence - 1];
    }

    private int restEnd(int fence) {
      return restEnds == null ? 0 : restEnds[fence];
    }

    /** Compares a fence with an entry, or another fence, in internal order. */
    public int compare(int fence, byte[] key, int length, long sequence) {
      int stripped = common.length;
      int order = Bytes.compare(common, 0, stripped, key, 0, Math.min(length, stripped));
      if (order == 0) {
        long word = Bytes.prefix(key, stripped, length - stripped) >>> 1;
        order = Long.compare(words[leaves() + fence], word);
      }
      return order != 0 ? order : compareTail(fence, key, stripped, length - stripped, sequence);
    }

    /** Collects fences in ascending order. */
    static final class Collector {
      private byte[] fences = new byte[1 << 10];
      private int[] ends = new int[64];
      private long[] sequences = new long[ends.length];
      private int count;
      private boolean hasSequences;

      /**
       * Adds a fence, which is after the previous one.
       *
       * @param sequence its sequence number, or {@link #NO_SEQUENCE}
       */
      void add(byte[] key, int length, long sequence) {
        int from = count == 0 ? 0 : ends[count - 1];
        if (length >= Integer.MAX_VALUE - 8 - from) {
          throw new IllegalArgumentException("the fences are too long");
        }
        int end = from + length;
        if (end > fences.length) {
          fences = Arrays.copyOf(fences, Math.max(end, 2 * fences.length));
        }
        if (count == ends.length) {
          ends = Arrays.copyOf(ends, 2 * count);
          sequences = Arrays.copyOf(sequences, 2 * count);
        }
        System.arraycopy(key, 0, fences, from, length);
        ends[count] = end;
        sequences[count] = sequence;
        hasSequences |= sequence != NO_SEQUENCE;
        count++;
      }

      Fences toArray() {
        return new Fences(fences, ends, count, hasSequences ? sequences : null);
      }
    }
  }
}
