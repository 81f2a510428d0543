package io.sifr.internal.sst.write;

import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.format.BlockTrailer;
import io.sifr.internal.sst.format.EntryHeader;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.Varint56;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Builds the raw form of a data block in an array, entry by entry; {@link EntryHeader} and {@link
 * BlockTrailer} draw it. Used by one thread.
 */
final class RawBlock {
  /** A header is written before it is known to fit, each of its integers as eight bytes. */
  static final int SLACK_BYTES = EntryHeader.MAX_BYTES + Long.BYTES;

  private final byte[] array;
  private final ByteBuffer view;
  private final int[] restarts =
      new int
          [SstFormat.MAX_SHARED_BYTES / (SstFormat.RESTART_INTERVAL * EntryHeader.MIN_BYTES) + 1];

  private int start;
  private int at;
  private int restartCount;
  private int entriesInRun;
  private int lengthBefore;
  private long base;

  /**
   * Number of bytes that the last key has in common with the block's first. For sorted keys this is
   * the minimum of what each two neighbours between them have in common, so the first key need not
   * be kept.
   */
  private int commonWithFirst;

  // What was measured last.
  private boolean restart;
  private int withFirst;
  private int keyLength;
  private int shared;
  private int suffixAt;
  private long entryEnd;

  /**
   * @param array receives the raw form; has {@link #SLACK_BYTES} more than is ever used
   */
  RawBlock(byte[] array) {
    this.array = array;
    this.view = ByteBuffer.wrap(array);
  }

  /** Begins a block at that offset of the array. */
  void begin(int offset) {
    start = offset;
    at = offset;
    restartCount = 0;
    entriesInRun = 0;
  }

  /** Whether it has no entry. */
  boolean isEmpty() {
    return restartCount == 0;
  }

  /**
   * Writes the header of an entry, which becomes a part of the block when it is added.
   *
   * @param common number of leading bytes its key has in common with that of the previous entry
   * @return size of the raw form with the entry, without padding
   */
  long measure(int length, int common, int valueLength, long trailer) {
    keyLength = length;
    restart = entriesInRun == 0 || entriesInRun == SstFormat.RESTART_INTERVAL;
    if (restartCount == 0) {
      base = Trailer.sequence(trailer);
      commonWithFirst = 0;
    }
    withFirst = Math.min(commonWithFirst, common);
    shared = restart ? withFirst : common;
    int suffix = length - shared;
    boolean sameLength = !restart && length == lengthBefore;
    int after = Varint56.put(array, at, shared << 1 | (sameLength ? 1 : 0));
    if (!sameLength) {
      after = Varint56.put(array, after, suffix);
    }
    after = Varint56.put(array, after, EntryHeader.lengthAndKind(valueLength, trailer));
    suffixAt = Varint56.put(array, after, EntryHeader.delta(Trailer.sequence(trailer), base));
    entryEnd = (long) suffixAt + suffix + valueLength;
    return entryEnd - start + BlockTrailer.bytes(restartCount + (restart ? 1 : 0));
  }

  /** Adds the current entry of the source, which was measured just now. */
  void add(ForwardIterator source, byte[] key, int keyOffset) {
    int suffix = keyLength - shared;
    addHeader();
    System.arraycopy(key, keyOffset + shared, array, suffixAt, suffix);
    source.copyValue(array, suffixAt + suffix);
    at = (int) entryEnd;
  }

  /** The same for an entry of which the header alone is in the array; nothing can follow. */
  void addHeader() {
    commonWithFirst = restartCount == 0 ? keyLength : withFirst;
    lengthBefore = keyLength;
    if (restart) {
      restarts[restartCount++] = at - start;
      entriesInRun = 0;
    }
    entriesInRun++;
  }

  /** Where the header of the entry ends that was measured last. */
  int headerEnd() {
    return suffixAt;
  }

  /** Where the entries end. */
  int entriesEnd() {
    return at;
  }

  /** Size of the raw form if it ended here, without padding. */
  int bytes() {
    return at - start + BlockTrailer.bytes(restartCount);
  }

  /** Ends the raw form, with zeros after the entries so that it has that size. */
  void end(int bytes) {
    int trailerBytes = BlockTrailer.bytes(restartCount);
    int end = start + bytes;
    int padding = end - trailerBytes - at;
    Arrays.fill(array, at, at + padding, (byte) 0);
    int restartsAt = end - trailerBytes;
    for (int i = 0; i < restartCount; i++) {
      view.putShort(restartsAt + i * Short.BYTES, (short) restarts[i]);
    }
    BlockTrailer.encodeTo(view, end, restartCount, padding, base);
  }

  /**
   * Writes the end of the raw form, zeros and trailer, to the start of the array, where its entries
   * are not.
   */
  void endAlone(int bytes) {
    start = 0;
    at = 0;
    end(bytes);
  }
}
