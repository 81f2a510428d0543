package io.sifr.internal.sst.format;

import io.sifr.internal.cache.CacheArea;
import io.sifr.internal.cache.CacheUse;
import io.sifr.internal.cache.CachedTable;
import io.sifr.internal.entry.Trailer;
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

  /** Heap for each block beside its fence: offset, state, place in the table. */
  private static final int BYTES_PER_BLOCK = Integer.BYTES + 1 + Integer.BYTES;

  private final int number;
  private final int firstBlock;

  /** Offset of block i in the file; the last element is the end of the last block. */
  private final int[] offsets;

  private final Fences fences;

  /** Blocks in the store's own memory. */
  private final CachedTable.Blocks blocks;

  // Written without a lock: a thread that does not see the new state just checks again.
  private final byte[] known;

  /**
   * @param number number of the part
   * @param firstBlock number of its first block in the SST
   * @param offsets offsets of the blocks, and the end of the last one
   * @param fences those of all blocks but the first
   * @param blocks for those of its blocks that the cache keeps
   */
  IndexPart(int number, int firstBlock, int[] offsets, Fences fences, CachedTable.Blocks blocks) {
    this.number = number;
    this.firstBlock = firstBlock;
    this.offsets = offsets;
    this.fences = fences;
    this.blocks = blocks;
    this.known = new byte[offsets.length - 1];
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
    return offsets.length - 1;
  }

  /** Offset of a block in the file. */
  public int offset(int block) {
    return offsets[block];
  }

  /** Offset of a block's end in the file. */
  public int end(int block) {
    return offsets[block + 1];
  }

  /** Size of a block in the file. */
  public int bytes(int block) {
    return end(block) - offset(block);
  }

  /** Offset of a block's first page, which may also hold the file's header. */
  public int pageStart(int block) {
    return SstFormat.pageStart(offsets[block]);
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
    return fences.touch() + offsets.length;
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
    return known[block];
  }

  /** Records what was found out about a block. */
  public void know(int block, byte state) {
    known[block] = state;
  }

  /** Has each block of a mapping checked again when it is used next. */
  public void distrust() {
    Arrays.fill(known, UNCHECKED);
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
   * <p>The common prefix of all fences is stripped, and the next eight bytes of each are kept in an
   * array of longs, so that a search compares numbers in one or two cache lines and compares
   * further bytes only on a tie. Mostly there are none, since fences are as short as separators can
   * be. Immutable; safe for any thread.
   */
  public static final class Fences {
    /** Stands for the sequence number of a fence without one. */
    static final long NO_SEQUENCE = Trailer.MAX_SEQUENCE;

    private final byte[] common;

    /**
     * The first bytes after the common ones; sign flipped: signed comparison gives unsigned order.
     */
    private final long[] prefixes;

    /** The number of bytes of each prefix that belong to the fence; the others are 0. */
    private final byte[] prefixLengths;

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
      this.prefixes = new long[count];
      this.prefixLengths = new byte[count];
      int rest = 0;
      int from = 0;
      for (int i = 0; i < count; i++) {
        int length = fenceEnds[i] - from - stripped;
        prefixes[i] = prefix(fences, from + stripped, length);
        prefixLengths[i] = (byte) Math.min(Long.BYTES, length);
        rest += length - prefixLengths[i];
        from = fenceEnds[i];
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
        int start = from + stripped + prefixLengths[i];
        System.arraycopy(fences, start, rests, to, fenceEnds[i] - start);
        to += fenceEnds[i] - start;
        ends[i] = to;
        from = fenceEnds[i];
      }
      return ends;
    }

    private static long prefix(byte[] key, int offset, int length) {
      return Bytes.prefix(key, offset, length) ^ Long.MIN_VALUE;
    }

    /** About the heap it takes. */
    int bytes() {
      return common.length
          + prefixes.length * (Long.BYTES + 1)
          + rests.length
          + (restEnds == null ? 0 : restEnds.length * Integer.BYTES)
          + (sequences == null ? 0 : sequences.length * Long.BYTES);
    }

    /** Length of the key of a fence. */
    int length(int fence) {
      return common.length + prefixLengths[fence] + restEnd(fence) - restStart(fence);
    }

    /** A copy of the key of a fence. */
    public byte[] key(int fence) {
      byte[] prefix = new byte[Long.BYTES];
      Bytes.putLong(prefix, 0, prefixes[fence] ^ Long.MIN_VALUE);
      int prefixLength = prefixLengths[fence];
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
      int count = prefixes.length;
      if (count == 0) {
        return 0;
      }
      int stripped = common.length;
      if (stripped > 0) {
        int order = Bytes.compare(key, offset, Math.min(length, stripped), common, 0, stripped);
        if (order != 0) {
          return order < 0 ? 0 : count;
        }
      }
      long prefix = prefix(key, offset + stripped, length - stripped);
      int after = countUpTo(prefix);
      if (after > 0 && prefixes[after - 1] == prefix) {
        return countEqualUpTo(prefix, after, key, offset + stripped, length - stripped, sequence);
      }
      return after;
    }

    /** Touches what the first steps of a search compare. */
    long touch() {
      int count = prefixes.length;
      return count == 0
          ? common.length
          : common.length
              + prefixes[count >>> 1]
              + prefixes[count >>> 2]
              + prefixes[count - 1 - (count >>> 2)];
    }

    /** Number of fences whose prefix is at most {@code prefix}. */
    private int countUpTo(long prefix) {
      int low = 0;
      int size = prefixes.length;
      while (size > 0) {
        int half = (size + 1) >>> 1;
        low += prefixes[low + half - 1] <= prefix ? half : 0; // a conditional move, no branch
        size -= half;
      }
      return low;
    }

    /** Searches among the fences whose first eight bytes are those of the key. */
    private int countEqualUpTo(
        long prefix, int after, byte[] key, int offset, int length, long sequence) {
      int low = prefix == Long.MIN_VALUE ? 0 : countUpTo(prefix - 1);
      int high = after;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (compareRest(middle, key, offset, length, sequence) <= 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    /** Compares a fence with an entry that has the same prefix. */
    private int compareRest(int fence, byte[] key, int offset, int length, long sequence) {
      // Of two keys with the same prefix, the one that has fewer bytes of it is the shorter one:
      // the
      // other continues with zeros.
      int inPrefix = Math.min(Long.BYTES, length);
      int order = prefixLengths[fence] - inPrefix;
      if (order == 0) {
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
        order = Long.compare(prefixes[fence], prefix(key, stripped, length - stripped));
      }
      return order != 0 ? order : compareRest(fence, key, stripped, length - stripped, sequence);
    }

    /** Collects fences in ascending order. */
    static final class Collector {
      private byte[] fences = new byte[1 << 10];
      private int[] ends = new int[64];
      private long[] sequences = new long[ends.length];
      private int count;
      private boolean hasSequences;

      /**
       * Adds a fence.
       *
       * @param sequence its sequence number, or {@link #NO_SEQUENCE}
       * @throws IllegalArgumentException when it is not after the previous one
       */
      void add(byte[] key, int length, long sequence) {
        int from = start(count);
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
        if (count > 0 && !isAfterPrevious(sequence)) {
          throw new IllegalArgumentException("fences out of order");
        }
        count++;
      }

      private int start(int fence) {
        return fence == 0 ? 0 : ends[fence - 1];
      }

      private boolean isAfterPrevious(long sequence) {
        int before = start(count - 1);
        int from = start(count);
        int order = Bytes.compare(fences, before, from - before, fences, from, ends[count] - from);
        return order < 0 || (order == 0 && sequences[count - 1] > sequence);
      }

      Fences toArray() {
        return new Fences(fences, ends, count, hasSequences ? sequences : null);
      }
    }
  }
}
