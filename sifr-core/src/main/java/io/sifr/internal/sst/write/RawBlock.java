package io.sifr.internal.sst.write;

import static io.sifr.internal.sst.format.BlockEntries.MAX_WORD_BYTES;

import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.format.BlockEntries;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Bytes.VarInts;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The raw form of a data block with the first of the pending entries; {@link BlockEntries} draws
 * it. It is measured entry by entry, but written when all entries are known: its prefix is what the
 * keys have in common, and the words are as long as it takes to tell most keys apart. Used by one
 * thread.
 */
final class RawBlock {
  /** So much after the raw form may be overwritten. */
  static final int SLACK_BYTES = 2 * Long.BYTES;

  /** Of so many keys, one may have the same word as the key before. */
  private static final int KEYS_PER_TIE = 16;

  private final PendingEntries entries;

  /** Of the entries of the block. */
  private Sums sums = new Sums();

  /** The same with the entry measured last. */
  private Sums measured = new Sums();

  /** By number of bytes after the prefix: keys that have so many in common with the key before. */
  private final int[] alike = new int[MAX_WORD_BYTES + 1];

  RawBlock(PendingEntries entries) {
    this.entries = entries;
  }

  /** Begins a block. */
  void begin() {
    sums.clear();
  }

  /** Whether it has no entry. */
  boolean isEmpty() {
    return sums.count == 0;
  }

  /** Size of the raw form: an upper bound, until it is written. */
  int bytes() {
    return (int) sums.bytes;
  }

  /**
   * Measures the block with one entry more, which may be {@linkplain #add added} next.
   *
   * @param common number of leading bytes its key has in common with that of the previous entry
   * @return size of the raw form at most; exact, unless there are keys of fewer than {@value
   *     BlockEntries#MAX_WORD_BYTES} bytes after the prefix, or some of more than 127, and they
   *     differ in length
   */
  long measure(int length, int common, int valueLength, long trailer) {
    measured.set(sums, length, common, valueLength, Trailer.sequence(trailer));
    return measured.bytes;
  }

  /** Adds the entry measured last, which is among the pending ones. */
  void add() {
    Sums before = sums;
    sums = measured;
    measured = before;
  }

  /** Writes the raw form of the added entries to an array; returns where it ends. */
  int writeTo(byte[] array, int start) {
    int all = sums.count;
    int skipped = sums.prefix;
    int width = wordBytes();
    int headerBytes = sums.headerBytes();
    long base = sums.smallestSequence;
    boolean isUniform = sums.isUniform();
    int suffixBytes = isUniform ? sums.longest - skipped : -1;
    ByteBuffer view = ByteBuffer.wrap(array);
    BlockEntries.encodeHead(view, start, all, width, headerBytes, skipped, suffixBytes, base);
    int wordsAt = start + BlockEntries.HEAD_BYTES + skipped;
    entries.copyKey(0, array, start + BlockEntries.HEAD_BYTES, skipped);
    // Of each word eight bytes are written, of which the next one replaces what is too much.
    for (int i = 0; i < all; i++) {
      Bytes.putLong(array, wordsAt + i * width, entries.word(i, skipped));
    }
    int offsetsAt = wordsAt + all * width;
    int at = offsetsAt + BlockEntries.offsetsBytes(all);
    for (int i = 0; i < all; i++) {
      BlockEntries.putOffset(view, offsetsAt, all, i, at - start);
      BlockEntries.putHeader(array, at, entries.trailer(i), base);
      at += headerBytes;
      int suffix = entries.keyLength(i) - skipped;
      if (!isUniform) {
        at = VarInts.put(array, at, suffix);
      }
      at = entries.copy(i, skipped + Math.min(width, suffix), array, at);
    }
    BlockEntries.putOffset(view, offsetsAt, all, all, at - start);
    array[at] = BlockEntries.MARK;
    int end = at + BlockEntries.MARK_BYTES;
    sums.bytes = (long) end - start;
    return end;
  }

  /** The fewest bytes that tell most keys apart. */
  private int wordBytes() {
    Arrays.fill(alike, 0);
    for (int i = 1; i < sums.count; i++) {
      int common = entries.common(i);
      if (common < entries.keyLength(i) || common < entries.keyLength(i - 1)) {
        alike[Math.min(common - sums.prefix, MAX_WORD_BYTES)]++;
      }
    }
    int ties = alike[MAX_WORD_BYTES];
    int width = MAX_WORD_BYTES;
    while (width > 1) {
      ties += alike[width - 1];
      if (ties > sums.count / KEYS_PER_TIE) {
        break;
      }
      width--;
    }
    return Math.max(1, Math.min(width, sums.longest - sums.prefix));
  }

  /** Sums and extremes of some entries, on which the size of the raw form depends. */
  private static final class Sums {
    int count;
    int prefix;
    int shortest;
    int longest;
    long smallestSequence;
    long largestSequence;
    private long keyBytes;
    private long valueBytes;

    /** Size of the raw form. */
    long bytes;

    void clear() {
      count = 0;
      prefix = BlockEntries.MAX_PREFIX_BYTES;
      shortest = Integer.MAX_VALUE;
      longest = 0;
      smallestSequence = Long.MAX_VALUE;
      largestSequence = 0;
      keyBytes = 0;
      valueBytes = 0;
      bytes = 0;
    }

    /** Makes this what another one is with one entry more. */
    void set(Sums before, int length, int common, int valueLength, long sequence) {
      count = before.count + 1;
      prefix = Math.min(before.prefix, before.count == 0 ? length : common);
      shortest = Math.min(before.shortest, length);
      longest = Math.max(before.longest, length);
      smallestSequence = Math.min(before.smallestSequence, sequence);
      largestSequence = Math.max(before.largestSequence, sequence);
      keyBytes = before.keyBytes + length;
      valueBytes = before.valueBytes + valueLength;
      bytes = size();
    }

    private long size() {
      long suffixes = keyBytes - (long) count * prefix;
      return BlockEntries.HEAD_BYTES
          + prefix
          + BlockEntries.offsetsBytes(count)
          + (long) count * headerBytes()
          + (isUniform() ? 0 : (long) count * VarInts.size(longest - prefix))
          + padding(suffixes)
          + suffixes
          + valueBytes
          + BlockEntries.MARK_BYTES;
    }

    /**
     * Zeros with which words are filled up, at most. How many a key needs is a convex function of
     * its length: on average no more than on the line between the shortest and the longest.
     */
    private long padding(long suffixes) {
      int most = longest - prefix;
      if (most == 0) {
        return count; // a word has a byte
      }
      int needed = Math.min(most, MAX_WORD_BYTES) - (shortest - prefix);
      return needed <= 0 ? 0 : needed * (count * (long) most - suffixes) / (longest - shortest);
    }

    /** Whether the block says for all keys how long they are. */
    boolean isUniform() {
      return shortest == longest && longest - prefix <= BlockEntries.MAX_SUFFIX_BYTES;
    }

    int headerBytes() {
      return BlockEntries.headerBytes(largestSequence - smallestSequence);
    }
  }
}
