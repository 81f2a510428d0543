package io.sifr.internal.sst;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.io.AppendFile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Lays entries into blocks and blocks into the file. Entries are copied once, into an array that
 * holds many blocks and is appended to the file when it is full.
 *
 * <p>An entry that does not fit into the pages a block has so far lets it grow by pages, unless it
 * is seven eighths full or would pass {@value SstFormat#MAX_SHARED_PAGES} pages; then it is closed,
 * and the entry begins the next. Small entries always leave a page so full that it is closed;
 * entries of a few KiB would waste half the space without growing. A still larger entry gets a
 * block of its own.
 */
final class BlockWriter {
  /** What is appended at once: many pages, but not more than stays in a core's own cache. */
  private static final int STAGED_BYTES = 256 << 10;

  /** A header is written before it is known to fit, and its integers as eight bytes each. */
  private static final int SLACK_BYTES = EntryHeader.MAX_BYTES + Long.BYTES;

  private static final int MAX_SHARED_BYTES = SstFormat.MAX_SHARED_PAGES * SstFormat.PAGE_BYTES;

  /** Bytes of a huge value that are appended at once. */
  private static final int PIECE_BYTES = 1 << 20;

  private final AppendFile file;
  private final long uniqueId;
  private final CRC32C crc = new CRC32C();
  private final byte[] staged;
  private final ByteBuffer view;
  private final int[] restarts =
      new int[MAX_SHARED_BYTES / (SstFormat.RESTART_INTERVAL * EntryHeader.MIN_BYTES) + 1];

  /** Where in the file {@link #staged} begins. */
  private long stagedOffset;

  // The block being filled.
  private int start;
  private int at;
  private int pages = 1;
  private int restartCount;
  private int entriesInRun;
  private int lengthBefore;
  private long base;

  /**
   * Bytes that the last key has in common with the block's first. Between sorted keys that is the
   * least that two neighbours have in common on the way, so the first key need not be kept.
   */
  private int commonWithFirst;

  /**
   * Begins with the file's header.
   *
   * @param staging from {@link #newStaging}; nobody else uses it meanwhile. What it holds does not
   *     matter
   */
  BlockWriter(AppendFile file, FileHeader header, byte[] staging) {
    this.file = file;
    this.uniqueId = header.uniqueId();
    this.staged = staging;
    this.view = ByteBuffer.wrap(staging);
    header.encodeTo(view, 0);
    at = FileHeader.BYTES;
  }

  /** An array to collect blocks in. */
  static byte[] newStaging() {
    return new byte[STAGED_BYTES + SLACK_BYTES];
  }

  /** Where the block being filled ends in the file, if it does not grow. */
  long end() {
    return stagedOffset + start + (long) pages * SstFormat.PAGE_BYTES;
  }

  /** Where the entries of the block being filled end in the file. */
  long entriesEnd() {
    return pages > SstFormat.MAX_SHARED_PAGES ? end() : stagedOffset + at;
  }

  /**
   * Appends the entry that the source stands on, if it belongs into this block.
   *
   * @param common leading bytes its key has in common with that of the entry before
   * @return false when the block has to be closed first; never for the first entry of a block
   */
  boolean append(
      EntryIterator source, byte[] key, int keyOffset, int keyLength, int common, long trailer) {
    if (pages > SstFormat.MAX_SHARED_PAGES) {
      return false;
    }
    boolean restart = entriesInRun == 0 || entriesInRun == SstFormat.RESTART_INTERVAL;
    if (restartCount == 0) {
      base = Trailer.sequence(trailer);
      commonWithFirst = 0;
    }
    int withFirst = Math.min(commonWithFirst, common);
    int shared = restart ? withFirst : common;
    int suffix = keyLength - shared;
    int valueLength = source.valueLength();
    boolean sameLength = !restart && keyLength == lengthBefore;
    int suffixAt = putHeader(shared, suffix, sameLength, valueLength, trailer);
    long entryEnd = (long) suffixAt + suffix + valueLength;
    int trailerBytes = BlockTrailer.bytes(restartCount + (restart ? 1 : 0));
    long blockBytes = entryEnd - start + trailerBytes;
    if (blockBytes > (long) pages * SstFormat.PAGE_BYTES && !grow(blockBytes)) {
      return false;
    }
    commonWithFirst = restartCount == 0 ? keyLength : withFirst;
    lengthBefore = keyLength;
    if (restart) {
      restarts[restartCount++] = at - start;
      entriesInRun = 0;
    }
    entriesInRun++;
    if (pages > SstFormat.MAX_SHARED_PAGES) {
      appendAlone(source, key, keyOffset, keyLength, suffixAt);
      return true;
    }
    System.arraycopy(key, keyOffset + shared, staged, suffixAt, suffix);
    source.copyValue(staged, suffixAt + suffix);
    at = (int) entryEnd;
    return true;
  }

  private int putHeader(int shared, int suffix, boolean sameLength, int valueLength, long trailer) {
    int behind = Varint56.put(staged, at, shared << 1 | (sameLength ? 1 : 0));
    if (!sameLength) {
      behind = Varint56.put(staged, behind, suffix);
    }
    behind = Varint56.put(staged, behind, EntryHeader.lengthAndKind(valueLength, trailer));
    return Varint56.put(staged, behind, EntryHeader.delta(Trailer.sequence(trailer), base));
  }

  private boolean grow(long blockBytes) {
    int needed = SstFormat.pages(blockBytes);
    if (restartCount > 0) {
      int used = at - start + BlockTrailer.bytes(restartCount);
      if (used >= pages * (SstFormat.PAGE_BYTES / 8 * 7) || needed > SstFormat.MAX_SHARED_PAGES) {
        return false;
      }
    }
    pages = needed;
    return true;
  }

  /** The entry is too large to be staged; its header is. The block is written to its end. */
  private void appendAlone(
      EntryIterator source, byte[] key, int keyOffset, int keyLength, int suffixAt) {
    crc.reset();
    crc.update(staged, start, suffixAt - start);
    file.append(staged, 0, suffixAt);
    crc.update(key, keyOffset, keyLength);
    file.append(key, keyOffset, keyLength);
    ByteBuffer value = source.value();
    long written = (long) suffixAt - start + keyLength + value.limit();
    int valueEnd = value.limit();
    while (value.position() < valueEnd) {
      value.limit(Math.min(valueEnd, value.position() + PIECE_BYTES));
      value.mark();
      crc.update(value);
      value.reset();
      file.append(value);
    }
    stagedOffset += start;
    start = 0;
    int rest = (int) ((long) pages * SstFormat.PAGE_BYTES - written);
    seal(0, 0, rest, stagedOffset);
    file.append(staged, 0, rest);
  }

  /**
   * Closes the block being filled, which has an entry, and begins the next.
   *
   * @return pages of the block closed
   */
  int close() {
    int closed = pages;
    int bytes = closed * SstFormat.PAGE_BYTES;
    if (closed > SstFormat.MAX_SHARED_PAGES) {
      stagedOffset += bytes;
    } else {
      crc.reset();
      seal(start, at, start + bytes, stagedOffset + start);
      start += bytes;
      if (start > STAGED_BYTES - MAX_SHARED_BYTES) {
        flush();
      }
    }
    at = start;
    pages = 1;
    restartCount = 0;
    entriesInRun = 0;
    return closed;
  }

  /** Appends all closed blocks to the file. */
  void flush() {
    file.append(staged, 0, start);
    stagedOffset += start;
    start = 0;
    at = 0;
  }

  /**
   * Writes padding and trailer behind the entries.
   *
   * @param from where the bytes of the block begin that the checksum does not cover yet
   * @param entriesEnd where the entries end
   * @param end where the block ends
   */
  private void seal(int from, int entriesEnd, int end, long blockOffset) {
    int restartsAt = end - BlockTrailer.bytes(restartCount);
    Arrays.fill(staged, entriesEnd, restartsAt, (byte) 0);
    for (int i = 0; i < restartCount; i++) {
      view.putShort(restartsAt + i * Short.BYTES, (short) restarts[i]);
    }
    BlockTrailer.encodeTo(view, end, restartCount, restartsAt - entriesEnd, base);
    crc.update(staged, from, end - Integer.BYTES - from);
    int checksum = Checksums.bind((int) crc.getValue(), uniqueId, blockOffset);
    BlockTrailer.encodeChecksumTo(view, end, checksum);
  }
}
