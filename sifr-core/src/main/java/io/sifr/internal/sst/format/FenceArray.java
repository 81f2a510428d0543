package io.sifr.internal.sst.format;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Ascending fences in compact arrays: which of the things that they separate may hold a key. One
 * fence less than there are things, since the first needs none.
 *
 * <p>The common prefix of all fences is stripped, and the next eight bytes of each are kept in an
 * array of longs, so that a search compares numbers in one or two cache lines and compares further
 * bytes only on a tie. Mostly there are none, since fences are as short as separators can be.
 * Immutable; safe for any thread.
 */
public final class FenceArray {
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

  private FenceArray(byte[] fences, int[] fenceEnds, int count, long @Nullable [] sequences) {
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
   * Number of fences that are not after (key, sequence), which is also the number of the thing with
   * the newest version of the key that a reader at {@code sequence} may see, if there is one.
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
    // Of two keys with the same prefix, the one that has fewer bytes of it is the shorter one: the
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
      checkArgument(length < Integer.MAX_VALUE - 8 - from, "the fences are too long");
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
      checkArgument(count <= 0 || isAfterPrevious(sequence), "fences out of order");
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

    FenceArray toArray() {
      return new FenceArray(fences, ends, count, hasSequences ? sequences : null);
    }
  }
}
