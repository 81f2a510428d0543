package io.sifr.internal.sst.write;

import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.sst.format.EntryHeader;
import io.sifr.internal.sst.format.EntryHeader.Varint56;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.sst.format.StoredBlock.BlockTrailer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes blocks into the file. They are collected in an array that holds many and is appended to
 * the file when it is full. A block that is stored as it is is built there, from entries that are
 * copied once; one that is encoded is put there.
 *
 * <p>When an entry does not fit into the pages of a block that is stored as it is, the block grows
 * by pages, unless it is seven eighths full or would exceed {@value SstFormat#MAX_SHARED_PAGES}
 * pages; then it is closed, and the entry begins the next one. With small entries a page is always
 * full enough to be closed; with entries of a few KiB, half of the space would be wasted if blocks
 * did not grow. A still larger entry gets a block of its own, which is never encoded, so that it
 * need not be in memory as a whole.
 */
final class BlockWriter {
  /** Size of an append: many pages, but no more than fits into a core's own cache. */
  private static final int STAGED_BYTES = 256 << 10;

  /** Size of the array in which blocks are collected. */
  static final int STAGING_BYTES = STAGED_BYTES + RawBlock.SLACK_BYTES;

  /** Bytes of a huge value that are appended at once. */
  private static final int PIECE_BYTES = 1 << 20;

  private final AppendFile file;
  private final long uniqueId;
  private final CRC32C crc = new CRC32C();
  private final byte[] staged;
  private final ByteBuffer view;

  /** Offset in the file of the start of {@link #staged}. */
  private long stagedOffset;

  /** Offset in {@link #staged} of the current block. */
  private int start;

  private final RawBlock raw;
  private int pages = 1;

  /** Size the raw form may reach before it is checked whether the block is full. */
  private int limit;

  /**
   * Writes the file's header first.
   *
   * @param staging {@link #STAGING_BYTES} long; not shared while this writer is in use. Its
   *     contents do not matter.
   */
  BlockWriter(AppendFile file, FileHeader header, byte[] staging) {
    this.file = file;
    this.uniqueId = header.uniqueId();
    this.staged = staging;
    this.view = ByteBuffer.wrap(staging);
    this.raw = new RawBlock(staging);
    header.encodeTo(view, 0);
    start = FileHeader.BYTES;
    begin();
  }

  private void begin() {
    raw.begin(start);
    pages = 1;
    limit = room(1);
  }

  /**
   * Space for the payload of the current block in so many pages: the first page of the file also
   * holds the header.
   */
  int room(int inPages) {
    return inPages * SstFormat.PAGE_BYTES - start % SstFormat.PAGE_BYTES - StoredBlock.BYTES;
  }

  /** Pages that the current block needs for a payload. */
  int pagesFor(long payloadBytes) {
    return SstFormat.pages(start % SstFormat.PAGE_BYTES + payloadBytes + StoredBlock.BYTES);
  }

  /** Whether a payload fills its pages so well that nothing is added to it. */
  static boolean isFull(int payloadBytes, int room, int inPages) {
    return payloadBytes >= room - inPages * (SstFormat.PAGE_BYTES / 8);
  }

  /** Where the current block begins in the file. */
  long position() {
    return stagedOffset + start;
  }

  /** Upper bound of where the current block ends in the file if it does not grow. */
  long end() {
    return stagedOffset + SstFormat.pageStart(start) + (long) pages * SstFormat.PAGE_BYTES;
  }

  /** Where the entries of the current block end in the file. */
  long entriesEnd() {
    return pages > SstFormat.MAX_SHARED_PAGES ? end() : stagedOffset + raw.entriesEnd();
  }

  /**
   * Appends the current entry of the source, if it belongs into this block.
   *
   * @param common number of leading bytes its key has in common with that of the previous entry
   * @return false when the block must be closed first; never for the first entry of a block
   */
  boolean append(
      ForwardIterator source, byte[] key, int keyOffset, int keyLength, int common, long trailer) {
    if (pages > SstFormat.MAX_SHARED_PAGES) {
      return false;
    }
    long rawBytes = raw.measure(keyLength, common, source.valueLength(), trailer);
    if (rawBytes > limit && !grow(rawBytes)) {
      return false;
    }
    if (pages > SstFormat.MAX_SHARED_PAGES) {
      appendAlone(source, key, keyOffset, keyLength);
    } else {
      raw.add(source, key, keyOffset);
    }
    return true;
  }

  /** Raises the limit of the block, unless it is full. */
  private boolean grow(long rawBytes) {
    int needed = pagesFor(rawBytes);
    if (!raw.isEmpty()
        && (isFull(raw.bytes(), room(pages), pages) || needed > SstFormat.MAX_SHARED_PAGES)) {
      return false;
    }
    pages = needed;
    limit = needed > SstFormat.MAX_SHARED_PAGES ? Integer.MAX_VALUE : room(needed);
    return true;
  }

  /** The entry is too large to be staged; only its header is. Writes the block to its end. */
  private void appendAlone(ForwardIterator source, byte[] key, int keyOffset, int keyLength) {
    int headerBytes = raw.headerEnd() - start;
    raw.addHeader();
    crc.reset();
    crc.update(staged, start, headerBytes);
    file.append(staged, 0, start + headerBytes);
    crc.update(key, keyOffset, keyLength);
    file.append(key, keyOffset, keyLength);
    ByteBuffer value = source.value();
    long written = (long) headerBytes + keyLength + value.limit();
    int valueEnd = value.limit();
    while (value.position() < valueEnd) {
      value.limit(Math.min(valueEnd, value.position() + PIECE_BYTES));
      value.mark();
      crc.update(value);
      value.reset();
      file.append(value);
    }
    int payload = room(pages);
    long blockOffset = stagedOffset + start;
    stagedOffset += SstFormat.pageStart(start);
    start = 0;
    // What follows the value is staged at the start of the block.
    int left = payload - (int) written;
    raw.endAlone(left);
    seal(0, left, payload, payload, Codecs.NONE, blockOffset);
    file.append(staged, 0, left + StoredBlock.BYTES);
  }

  /**
   * Closes the current block, which is not empty, and begins the next.
   *
   * @return pages of the block closed
   */
  int close() {
    if (pages > SstFormat.MAX_SHARED_PAGES) {
      int closed = pages;
      stagedOffset += (long) pages * SstFormat.PAGE_BYTES;
      begin();
      return closed;
    }
    int room = room(pages);
    raw.end(room);
    crc.reset();
    seal(start, start + room, room, room, Codecs.NONE, stagedOffset + start);
    return next();
  }

  /**
   * What receives the payload of the current block if it is encoded; nothing may have been appended
   * to it. As large as a block of {@value SstFormat#MAX_SHARED_PAGES} pages can hold.
   */
  ByteBuffer payload() {
    return view.duplicate().position(start).limit(start + room(SstFormat.MAX_SHARED_PAGES));
  }

  /**
   * Closes the current block after its payload was put where it belongs, and begins the next.
   *
   * @return pages of the block closed
   */
  int closeEncoded(int payloadBytes, int rawBytes, BlockCodec codec) {
    pages = pagesFor(payloadBytes);
    int room = room(pages);
    Arrays.fill(staged, start + payloadBytes, start + room, (byte) 0);
    crc.reset();
    seal(start, start + room, payloadBytes, rawBytes, codec, stagedOffset + start);
    return next();
  }

  private int next() {
    int closed = pages;
    start = SstFormat.pageStart(start) + pages * SstFormat.PAGE_BYTES;
    if (start > STAGED_BYTES - SstFormat.MAX_SHARED_BYTES) {
      flush();
    }
    begin();
    return closed;
  }

  /** Appends all closed blocks to the file; the current block is empty. */
  void flush() {
    file.append(staged, 0, start);
    stagedOffset += start;
    start = 0;
  }

  /**
   * Writes the trailer of the stored form.
   *
   * @param from where the bytes begin that the checksum does not cover yet
   * @param at where the trailer begins
   */
  private void seal(
      int from, int at, int payloadBytes, int rawBytes, BlockCodec by, long blockOffset) {
    int end = at + StoredBlock.BYTES;
    StoredBlock.encodeTo(view, end, payloadBytes, rawBytes, by.id());
    crc.update(staged, from, end - Integer.BYTES - from);
    int checksum = Checksums.bind((int) crc.getValue(), uniqueId, blockOffset);
    StoredBlock.encodeChecksumTo(view, end, checksum);
  }

  /**
   * Builds the raw form of a data block in an array, entry by entry; {@link EntryHeader} and {@link
   * BlockTrailer} draw it. Used by one thread.
   */
  static final class RawBlock {
    /** A header is written before it is known to fit, each of its integers as eight bytes. */
    static final int SLACK_BYTES = EntryHeader.MAX_BYTES + Long.BYTES;

    private final byte[] array;
    private final ByteBuffer view;
    private final int[] restarts =
        new int
            [SstFormat.MAX_SHARED_BYTES / (SstFormat.RESTART_INTERVAL * SstFormat.MIN_ENTRY_BYTES)
                + 1];

    private int start;
    private int at;
    private int restartCount;
    private int entriesInRun;
    private int lengthBefore;
    private long base;

    /**
     * Number of bytes that the last key has in common with the block's first. For sorted keys this
     * is the minimum of what each two neighbours between them have in common, so the first key need
     * not be kept.
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
     * Writes the end of the raw form, zeros and trailer, to the start of the array, where its
     * entries are not.
     */
    void endAlone(int bytes) {
      start = 0;
      at = 0;
      end(bytes);
    }
  }
}
