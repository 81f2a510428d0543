package io.sifr.internal.sst;

import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.io.AppendFile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes entries into blocks and blocks into the file. Entries are copied once, into an array that
 * holds many blocks and is appended to the file when it is full; with a codec, they are copied into
 * a separate array and encoded from there into the first.
 *
 * <p>How full a block is depends on its stored size. When an entry does not fit into the pages of
 * the block, the block grows by pages, unless it is seven eighths full or would exceed {@value
 * SstFormat#MAX_SHARED_PAGES} pages; then it is closed, and the entry begins the next one. With
 * small entries a page is always full enough to be closed; with entries of a few KiB, half of the
 * space would be wasted if blocks did not grow. A still larger entry gets a block of its own, which
 * is never encoded, so that it need not be in memory as a whole.
 *
 * <p>The size of an encoded block is known only after encoding. Encoding is tried when the block is
 * about as large as its pages should hold, judging by the previous blocks, and again if there turns
 * out to be room for more.
 */
final class BlockWriter {
  /** Size of an append: many pages, but no more than fits into a core's own cache. */
  private static final int STAGED_BYTES = 256 << 10;

  /** A header is written before it is known to fit, each of its integers as eight bytes. */
  private static final int SLACK_BYTES = EntryHeader.MAX_BYTES + Long.BYTES;

  /** Size of the array in which blocks are collected. */
  static final int STAGING_BYTES = STAGED_BYTES + SLACK_BYTES;

  private static final int MAX_SHARED_BYTES = SstFormat.MAX_SHARED_PAGES * SstFormat.PAGE_BYTES;

  private static final int NOT_TRIED = -1;

  /** The share of its pages that an encoded block should fill, between seven eighths and all. */
  private static final double FILLED = 15 / 16.0;

  /** Bytes of a huge value that are appended at once. */
  private static final int PIECE_BYTES = 1 << 20;

  private final AppendFile file;
  private final long uniqueId;
  private final BlockCodec codec;
  private final CRC32C crc = new CRC32C();
  private final byte[] staged;
  private final ByteBuffer view;
  private final int[] restarts =
      new int[MAX_SHARED_BYTES / (SstFormat.RESTART_INTERVAL * EntryHeader.MIN_BYTES) + 1];

  /** Offset in the file of the start of {@link #staged}. */
  private long stagedOffset;

  /** Offset in {@link #staged} of the current block. */
  private int start;

  // The raw form of the current block: in staged, or with a codec in an array of its own.
  private final byte[] raw;
  private final ByteBuffer rawView;
  private int rawStart;
  private int at;
  private int pages = 1;
  private int restartCount;
  private int entriesInRun;
  private int lengthBefore;
  private long base;

  /** Size the raw form may reach before it is checked whether the block is full. */
  private int limit;

  /**
   * Size of the payload, at the start of the block, if the block was encoded with all of its
   * present entries; 0 if the codec declined, {@link #NOT_TRIED} if it has not been encoded.
   */
  private int encoded;

  /** Stored bytes per byte of the raw form, in the block encoded last. */
  private double ratio = 0.5;

  /**
   * Number of bytes that the last key has in common with the block's first. For sorted keys this is
   * the minimum of what each two neighbours between them have in common, so the first key need not
   * be kept.
   */
  private int commonWithFirst;

  /**
   * Writes the file's header first.
   *
   * @param codec encodes the blocks
   * @param staging {@link #STAGING_BYTES} long; not shared while this writer is in use. Its
   *     contents do not matter.
   */
  BlockWriter(AppendFile file, FileHeader header, BlockCodec codec, byte[] staging) {
    this.file = file;
    this.uniqueId = header.uniqueId();
    this.codec = codec;
    this.staged = staging;
    this.view = ByteBuffer.wrap(staging);
    this.raw = isPlain() ? staging : new byte[MAX_SHARED_BYTES + SLACK_BYTES];
    this.rawView = isPlain() ? view : ByteBuffer.wrap(raw);
    header.encodeTo(view, 0);
    start = FileHeader.BYTES;
    begin();
  }

  private boolean isPlain() {
    return codec == BlockCodec.NONE;
  }

  private void begin() {
    rawStart = isPlain() ? start : 0;
    at = rawStart;
    pages = 1;
    restartCount = 0;
    entriesInRun = 0;
    encoded = NOT_TRIED;
    limit = isPlain() ? room() : expected(ratio);
  }

  /** Size of a raw form that is likely to fill the pages, and unlikely to need one more. */
  private int expected(double storedByRaw) {
    return (int) Math.min(room() * FILLED / storedByRaw, SstFormat.MAX_ENCODED_RAW_BYTES);
  }

  /**
   * Space for the payload in the block's pages: the first page of the file also holds the header.
   */
  private int room() {
    return pages * SstFormat.PAGE_BYTES - start % SstFormat.PAGE_BYTES - StoredBlock.BYTES;
  }

  /** Upper bound of where the current block ends in the file if it does not grow. */
  long end() {
    int most =
        SstFormat.pages(start % SstFormat.PAGE_BYTES + usedBytes() + (long) StoredBlock.BYTES);
    int taken = isPlain() ? pages : Math.max(pages, most);
    return stagedOffset + SstFormat.pageStart(start) + (long) taken * SstFormat.PAGE_BYTES;
  }

  /** Where the entries of the current block end in the file; an estimate if they are encoded. */
  long entriesEnd() {
    if (pages > SstFormat.MAX_SHARED_PAGES) {
      return end();
    }
    int used = at - rawStart;
    return stagedOffset + start + (isPlain() ? used : (long) (used * ratio));
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
    long rawBytes = entryEnd - rawStart + trailerBytes;
    if (rawBytes > limit) {
      if (!grow(rawBytes)) {
        return false;
      }
      // If the block was encoded, its trailer was written there.
      putHeader(shared, suffix, sameLength, valueLength, trailer);
    }
    encoded = NOT_TRIED;
    commonWithFirst = restartCount == 0 ? keyLength : withFirst;
    lengthBefore = keyLength;
    if (restart) {
      restarts[restartCount++] = at - rawStart;
      entriesInRun = 0;
    }
    entriesInRun++;
    if (pages > SstFormat.MAX_SHARED_PAGES) {
      appendAlone(source, key, keyOffset, keyLength, suffixAt);
      return true;
    }
    System.arraycopy(key, keyOffset + shared, raw, suffixAt, suffix);
    source.copyValue(raw, suffixAt + suffix);
    at = (int) entryEnd;
    return true;
  }

  private int putHeader(int shared, int suffix, boolean sameLength, int valueLength, long trailer) {
    int after = Varint56.put(raw, at, shared << 1 | (sameLength ? 1 : 0));
    if (!sameLength) {
      after = Varint56.put(raw, after, suffix);
    }
    after = Varint56.put(raw, after, EntryHeader.lengthAndKind(valueLength, trailer));
    return Varint56.put(raw, after, EntryHeader.delta(Trailer.sequence(trailer), base));
  }

  /** Size of the raw form if it ended here, without padding. */
  private int usedBytes() {
    return at - rawStart + BlockTrailer.bytes(restartCount);
  }

  /** Raises the limit of the block, unless it is full. */
  private boolean grow(long rawBytes) {
    return isPlain() ? growAsItIs(rawBytes) : growEncoded(rawBytes);
  }

  private boolean growAsItIs(long rawBytes) {
    int needed = SstFormat.pages(start % SstFormat.PAGE_BYTES + rawBytes + StoredBlock.BYTES);
    if (restartCount > 0 && (isFull(usedBytes()) || needed > SstFormat.MAX_SHARED_PAGES)) {
      return false;
    }
    pages = needed;
    limit = needed > SstFormat.MAX_SHARED_PAGES ? Integer.MAX_VALUE : room();
    return true;
  }

  private boolean growEncoded(long rawBytes) {
    if (restartCount == 0) {
      limit = (int) Math.min(rawBytes, Integer.MAX_VALUE);
      // Too large to be encoded: stored as it is.
      return rawBytes <= SstFormat.MAX_ENCODED_RAW_BYTES || growAsItIs(rawBytes);
    }
    int used = usedBytes();
    int payload = encode();
    pages = SstFormat.pages(start % SstFormat.PAGE_BYTES + payload + (long) StoredBlock.BYTES);
    if (isFull(payload) || rawBytes > SstFormat.MAX_ENCODED_RAW_BYTES) {
      return false;
    }
    limit = (int) Math.max(rawBytes, expected((double) payload / used));
    return true;
  }

  /** Whether a payload fills the pages so well that nothing is added to it. */
  private boolean isFull(int payload) {
    return payload >= room() - pages * (SstFormat.PAGE_BYTES / 8);
  }

  /** Encodes the block with its present entries; returns the size of the payload. */
  private int encode() {
    int used = usedBytes();
    if (encoded == NOT_TRIED) {
      encoded = 0;
      if (used <= SstFormat.MAX_ENCODED_RAW_BYTES) {
        putTrailer(used, 0);
        // At most what fits into the pages of a block.
        int most = MAX_SHARED_BYTES - start % SstFormat.PAGE_BYTES - StoredBlock.BYTES;
        ByteBuffer target = view.duplicate().position(start).limit(start + most);
        if (codec.encode(rawView.duplicate().limit(used), target)) {
          encoded = target.position() - start;
        }
      }
      ratio = encoded == 0 ? 1 : (double) encoded / used;
    }
    return encoded == 0 ? used : encoded;
  }

  /** The entry is too large to be staged; only its header is. Writes the block to its end. */
  private void appendAlone(
      ForwardIterator source, byte[] key, int keyOffset, int keyLength, int suffixAt) {
    int headerBytes = suffixAt - rawStart;
    System.arraycopy(raw, rawStart, staged, start, headerBytes);
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
    int payload = room();
    long blockOffset = stagedOffset + start;
    stagedOffset += SstFormat.pageStart(start);
    start = 0;
    // What follows the value is staged at the start of the block.
    int left = payload - (int) written;
    at = 0;
    rawStart = 0;
    pad(left);
    System.arraycopy(raw, 0, staged, 0, left);
    seal(0, left, payload, payload, BlockCodec.NONE, blockOffset);
    file.append(staged, 0, left + StoredBlock.BYTES);
  }

  /**
   * Closes the current block, which is not empty, and begins the next.
   *
   * @return pages of the block closed
   */
  int close() {
    if (pages > SstFormat.MAX_SHARED_PAGES) {
      stagedOffset += (long) pages * SstFormat.PAGE_BYTES;
    } else {
      crc.reset();
      if (isPlain()) {
        closeAsItIs();
      } else {
        closeEncoded();
      }
      start = SstFormat.pageStart(start) + pages * SstFormat.PAGE_BYTES;
      if (start > STAGED_BYTES - MAX_SHARED_BYTES) {
        flush();
      }
    }
    int closed = pages;
    begin();
    return closed;
  }

  private void closeAsItIs() {
    int room = room();
    pad(rawStart + room);
    seal(start, start + room, room, room, BlockCodec.NONE, stagedOffset + start);
  }

  private void closeEncoded() {
    int used = usedBytes();
    int payload = encode();
    pages = SstFormat.pages(start % SstFormat.PAGE_BYTES + payload + (long) StoredBlock.BYTES);
    int room = room();
    if (encoded == 0) {
      pad(room);
      System.arraycopy(raw, 0, staged, start, room);
      seal(start, start + room, room, room, BlockCodec.NONE, stagedOffset + start);
    } else {
      Arrays.fill(staged, start + payload, start + room, (byte) 0);
      seal(start, start + room, payload, used, codec, stagedOffset + start);
    }
  }

  /** Appends all closed blocks to the file. */
  void flush() {
    file.append(staged, 0, start);
    stagedOffset += start;
    start = 0;
  }

  /** Ends the raw form there, with zeros after the entries. */
  private void pad(int end) {
    int padding = end - BlockTrailer.bytes(restartCount) - at;
    Arrays.fill(raw, at, at + padding, (byte) 0);
    putTrailer(end, padding);
  }

  private void putTrailer(int end, int padding) {
    int restartsAt = end - BlockTrailer.bytes(restartCount);
    for (int i = 0; i < restartCount; i++) {
      rawView.putShort(restartsAt + i * Short.BYTES, (short) restarts[i]);
    }
    BlockTrailer.encodeTo(rawView, end, restartCount, padding, base);
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
}
