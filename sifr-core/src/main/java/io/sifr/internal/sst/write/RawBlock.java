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
 * it. Its size is known entry by entry, but it is written when all entries are known: its prefix is
 * what the keys have in common, and the words are as long as it takes to tell most keys apart. Used
 * by one thread.
 */
final class RawBlock {
  /** So much after the raw form may be overwritten. */
  static final int SLACK_BYTES = 2 * Long.BYTES;

  /** Of so many keys, one may have the same word as the key before. */
  private static final int KEYS_PER_TIE = 16;

  private final PendingEntries entries;
  private int count;
  private int bytes;
  private long measured;

  /** True if an entry was measured and not added. */
  private boolean isUnsettled;

  // Of the entries of the block, and the one measured last: sums and extremes.
  private long smallestSequence;
  private long largestSequence;
  private long keyBytes;
  private long valueBytes;
  private int shortest;
  private int longest;

  // What depends on the prefix.
  private int prefix;
  private long lengthBytes;

  /** By width of the words: zeros needed to fill them up. */
  private final int[] padding = new int[MAX_WORD_BYTES + 1];

  /** By number of bytes after the prefix: keys that have so many in common with the key before. */
  private final int[] alike = new int[MAX_WORD_BYTES + 1];

  RawBlock(PendingEntries entries) {
    this.entries = entries;
  }

  /** Begins a block. */
  void begin() {
    count = 0;
    bytes = 0;
    isUnsettled = false;
    beginSums();
  }

  private void beginSums() {
    smallestSequence = Long.MAX_VALUE;
    largestSequence = 0;
    keyBytes = 0;
    valueBytes = 0;
    shortest = Integer.MAX_VALUE;
    longest = 0;
  }

  /** Whether it has no entry. */
  boolean isEmpty() {
    return count == 0;
  }

  /** Size of the raw form. */
  int bytes() {
    return bytes;
  }

  /**
   * Measures the block with one entry more, which is {@linkplain #add added} next, or the block
   * ends without it.
   *
   * @param common number of leading bytes its key has in common with that of the previous entry
   * @return size of the raw form
   */
  long measure(int length, int common, int valueLength, long trailer) {
    if (isUnsettled) {
      settle();
    }
    isUnsettled = true;
    if (count == 0) {
      beginPrefix(Math.min(length, BlockEntries.MAX_PREFIX_BYTES));
    } else if (common < prefix) {
      countAll(common);
    }
    count(count, length, common);
    sum(length, valueLength, Trailer.sequence(trailer));
    measured = size(count + 1);
    return measured;
  }

  private void sum(int length, int valueLength, long sequence) {
    smallestSequence = Math.min(smallestSequence, sequence);
    largestSequence = Math.max(largestSequence, sequence);
    keyBytes += length;
    valueBytes += valueLength;
    shortest = Math.min(shortest, length);
    longest = Math.max(longest, length);
  }

  private long size(int all) {
    int inWords = shortest - prefix < MAX_WORD_BYTES ? padding[wordBytes(all)] : 0;
    return BlockEntries.HEAD_BYTES
        + prefix
        + BlockEntries.offsetsBytes(all)
        + (long) all * headerBytes()
        + (isUniform() ? 0 : lengthBytes)
        + inWords
        + (keyBytes - (long) all * prefix)
        + valueBytes
        + BlockEntries.MARK_BYTES;
  }

  /** Whether the block says for all keys how long they are. */
  private boolean isUniform() {
    return shortest == longest && longest - prefix <= BlockEntries.MAX_SUFFIX_BYTES;
  }

  private int headerBytes() {
    return BlockEntries.headerBytes(largestSequence - smallestSequence);
  }

  private void beginPrefix(int length) {
    prefix = length;
    lengthBytes = 0;
    Arrays.fill(padding, 0);
    Arrays.fill(alike, 0);
  }

  /** Counts the entries of the block again with a shorter prefix. */
  private void countAll(int newPrefix) {
    beginPrefix(newPrefix);
    for (int i = 0; i < count; i++) {
      count(i, entries.keyLength(i), entries.common(i));
    }
  }

  /** Counts one entry, of which the length of the key is given, and what it has in common. */
  private void count(int entry, int length, int common) {
    int suffix = length - prefix;
    lengthBytes += VarInts.size(suffix);
    for (int width = suffix + 1; width <= MAX_WORD_BYTES; width++) {
      padding[width] += width - suffix;
    }
    boolean isNewKey = entry > 0 && (common < length || common < entries.keyLength(entry - 1));
    if (isNewKey) {
      alike[Math.min(common - prefix, MAX_WORD_BYTES)]++;
    }
  }

  /** The fewest bytes that tell most keys apart. */
  private int wordBytes(int all) {
    int ties = alike[MAX_WORD_BYTES];
    int width = MAX_WORD_BYTES;
    while (width > 1) {
      ties += alike[width - 1];
      if (ties > all / KEYS_PER_TIE) {
        break;
      }
      width--;
    }
    return Math.max(1, Math.min(width, longest - prefix));
  }

  /** Adds the entry measured last, which is among the pending ones. */
  void add() {
    count++;
    bytes = (int) measured;
    isUnsettled = false;
  }

  /** Writes the raw form of the added entries to an array; returns where it ends. */
  int writeTo(byte[] array, int start) {
    if (isUnsettled) {
      settle();
    }
    int all = count;
    int skipped = prefix;
    int width = wordBytes(all);
    int headerBytes = headerBytes();
    long base = smallestSequence;
    boolean isUniform = isUniform();
    ByteBuffer view = ByteBuffer.wrap(array);
    BlockEntries.encodeHead(
        view, start, all, width, headerBytes, skipped, isUniform ? longest - skipped : -1, base);
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
    return at + BlockEntries.MARK_BYTES;
  }

  /** Forgets what was measured but not added. */
  private void settle() {
    isUnsettled = false;
    beginSums();
    int common = Math.min(entries.keyLength(0), BlockEntries.MAX_PREFIX_BYTES);
    for (int i = 0; i < count; i++) {
      sum(entries.keyLength(i), entries.valueLength(i), Trailer.sequence(entries.trailer(i)));
      if (i > 0) {
        common = Math.min(common, entries.common(i));
      }
    }
    countAll(common);
  }
}
