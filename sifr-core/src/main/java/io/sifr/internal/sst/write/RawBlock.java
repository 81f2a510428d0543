package io.sifr.internal.sst.write;

import static io.sifr.internal.sst.format.BlockEntries.MAX_WORD_BYTES;

import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.format.BlockEntries;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Bytes.VarInts;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The raw form of a data block with the first of the pending entries; {@link BlockEntries} draws
 * it. It is measured entry by entry, but written when all entries are known: the prefix of a group
 * is what its keys have in common, and the words are as long as it takes to tell most of them
 * apart. Used by one thread.
 *
 * <p>An entry begins a group if those before it would lose more of their prefix than a group costs:
 * among paths, the first file of another directory. Few keys but paths and their like do.
 */
final class RawBlock {
  /** So much after the raw form may be overwritten. */
  static final int SLACK_BYTES = 2 * Long.BYTES;

  /** Of so many keys, one may have the same word as the key before. */
  private static final int KEYS_PER_TIE = 16;

  /** A group begins only where the keys before would lose so many bytes of their prefix each. */
  private static final int MIN_LOSS_BYTES = Long.BYTES;

  /** What a group takes, about, beside its entries and what prefixes have in common. */
  private static final int GROUP_BYTES = 32;

  private final PendingEntries entries;

  /** The groups before the last one. */
  private final List<Sums> groups = new ArrayList<>();

  /** An upper bound of their size. */
  private long bytesBefore;

  /** Of the entries of the last group. */
  private Sums sums = new Sums();

  /** The same with the entry measured last, or that entry alone, if it begins a group. */
  private Sums measured = new Sums();

  private boolean beginsGroup;

  /** By number of bytes after the prefix: keys that have so many in common with the key before. */
  private final int[] alike = new int[MAX_WORD_BYTES + 1];

  RawBlock(PendingEntries entries) {
    this.entries = entries;
  }

  /** Begins a block. */
  void begin() {
    groups.clear();
    bytesBefore = 0;
    sums.clear();
  }

  /** Whether it has no entry. */
  boolean isEmpty() {
    return sums.count == 0;
  }

  /** Size of the raw form: an upper bound, until it is written. */
  int bytes() {
    return (int) (bytesBefore + sums.bytes);
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
    beginsGroup = isWorthGroup(common);
    if (beginsGroup) {
      measured.clear();
    } else {
      measured.copy(sums);
    }
    measured.add(length, common, valueLength, Trailer.sequence(trailer));
    return bytesBefore + (beginsGroup ? sums.bytes : 0) + measured.bytes;
  }

  /** Whether a group begins with an entry that has so much in common with the one before. */
  private boolean isWorthGroup(int common) {
    int loss = sums.prefix - common;
    return loss >= MIN_LOSS_BYTES
        && sums.count > 0
        && (long) loss * sums.count >= GROUP_BYTES + common;
  }

  /** Adds the entry measured last, which is among the pending ones. */
  void add() {
    Sums before = sums;
    sums = measured;
    measured = before;
    if (beginsGroup) {
      groups.add(before);
      bytesBefore += before.bytes;
      measured = new Sums();
    }
  }

  /** Writes the raw form of the added entries to an array; returns where it ends. */
  int writeTo(byte[] array, int start) {
    int first = 0;
    int at = start;
    for (Sums group : groups) {
      at = write(group, first, array, start, at);
      array[at++] = BlockEntries.MORE;
      first += group.count;
    }
    bytesBefore = (long) at - start;
    int end = write(sums, first, array, start, at);
    array[end++] = BlockEntries.MARK;
    sums.bytes = (long) end - at;
    return end;
  }

  /**
   * Writes a group without its mark.
   *
   * @param first its first entry
   * @param start where the raw form begins
   */
  private int write(Sums group, int first, byte[] array, int start, int groupAt) {
    int all = group.count;
    int skipped = group.prefix;
    int width = wordBytes(group, first);
    int headerBytes = group.headerBytes();
    long base = group.smallestSequence;
    boolean isUniform = group.isUniform();
    int suffixBytes = isUniform ? group.longest - skipped : -1;
    ByteBuffer view = ByteBuffer.wrap(array);
    BlockEntries.encodeHead(view, groupAt, all, width, headerBytes, skipped, suffixBytes, base);
    int prefixAt = groupAt + BlockEntries.HEAD_BYTES;
    entries.copyKey(first, array, prefixAt, skipped);
    int wordsAt = prefixAt + skipped;
    // Of each word eight bytes are written, of which the next one replaces what is too much.
    for (int i = 0; i < all; i++) {
      Bytes.putLong(array, wordsAt + i * width, entries.word(first + i, skipped));
    }
    int offsetsAt = wordsAt + all * width;
    int at = offsetsAt + BlockEntries.offsetsBytes(all);
    for (int i = 0; i < all; i++) {
      int entry = first + i;
      BlockEntries.putOffset(view, offsetsAt, all, i, at - start);
      BlockEntries.putHeader(array, at, entries.trailer(entry), base);
      at += headerBytes;
      int suffix = entries.keyLength(entry) - skipped;
      if (!isUniform) {
        at = VarInts.put(array, at, suffix);
      }
      at = entries.copy(entry, skipped + Math.min(width, suffix), array, at);
    }
    BlockEntries.putOffset(view, offsetsAt, all, all, at - start);
    return at;
  }

  /** The fewest bytes that tell most keys apart. */
  private int wordBytes(Sums group, int first) {
    Arrays.fill(alike, 0);
    for (int i = first + 1; i < first + group.count; i++) {
      int common = entries.common(i);
      if (common < entries.keyLength(i) || common < entries.keyLength(i - 1)) {
        alike[Math.min(common - group.prefix, MAX_WORD_BYTES)]++;
      }
    }
    int ties = alike[MAX_WORD_BYTES];
    int width = MAX_WORD_BYTES;
    while (width > 1) {
      ties += alike[width - 1];
      if (ties > group.count / KEYS_PER_TIE) {
        break;
      }
      width--;
    }
    return Math.max(1, Math.min(width, group.longest - group.prefix));
  }

  /** Sums and extremes of a group's entries, on which its size depends. */
  private static final class Sums {
    int count;
    int prefix;
    int shortest;
    int longest;
    long smallestSequence;
    long largestSequence;
    private long keyBytes;
    private long valueBytes;

    /** Its size, with its mark. */
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

    void copy(Sums other) {
      count = other.count;
      prefix = other.prefix;
      shortest = other.shortest;
      longest = other.longest;
      smallestSequence = other.smallestSequence;
      largestSequence = other.largestSequence;
      keyBytes = other.keyBytes;
      valueBytes = other.valueBytes;
    }

    void add(int length, int common, int valueLength, long sequence) {
      prefix = Math.min(prefix, count == 0 ? length : common);
      count++;
      shortest = Math.min(shortest, length);
      longest = Math.max(longest, length);
      smallestSequence = Math.min(smallestSequence, sequence);
      largestSequence = Math.max(largestSequence, sequence);
      keyBytes += length;
      valueBytes += valueLength;
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
