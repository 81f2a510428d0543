package io.sifr.internal.sst.write;

import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.sst.format.BlockEntries;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.StoredBlock;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes blocks into the file. They are collected in an array that holds many and is appended to
 * the file when it is full. A block that is stored as it is is built there when all of its entries
 * are known; one that is encoded is put there.
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
  private final StoredBlock.Encoder encoder;
  private final CRC32C crc = new CRC32C();
  private final byte[] staged;
  private final ByteBuffer view;

  /** Offset in the file of the start of {@link #staged}. */
  private long stagedOffset;

  /** Offset in {@link #staged} of the current block. */
  private int start;

  private final PendingEntries entries = new PendingEntries();

  /** The raw form of the entries, if the block is stored as it is. */
  private final RawBlock raw = new RawBlock(entries);

  private int pages = 1;

  /** Size the raw form may reach before it is checked whether the block is full. */
  private int limit;

  /**
   * Writes the file's header first.
   *
   * @param encoder completes the blocks
   * @param staging {@link #STAGING_BYTES} long; not shared while this writer is in use. Its
   *     contents do not matter.
   */
  BlockWriter(AppendFile file, FileHeader header, StoredBlock.Encoder encoder, byte[] staging) {
    this.file = file;
    this.encoder = encoder;
    this.staged = staging;
    this.view = ByteBuffer.wrap(staging);
    header.encodeTo(view, 0);
    start = FileHeader.BYTES;
    begin();
  }

  private void begin() {
    entries.clear();
    raw.begin();
    pages = 1;
    limit = room(1);
  }

  /**
   * Space for the payload of the current block in so many pages: the first page of the file also
   * holds the header.
   */
  int room(int inPages) {
    return inPages * SstFormat.PAGE_BYTES - start % SstFormat.PAGE_BYTES - encoder.overhead();
  }

  /** Pages that the current block needs for a payload. */
  int pagesFor(long payloadBytes) {
    return SstFormat.pages(start % SstFormat.PAGE_BYTES + payloadBytes + encoder.overhead());
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

  /** Where the current block ends in the file, without padding. */
  long entriesEnd() {
    return pages > SstFormat.MAX_SHARED_PAGES ? end() : stagedOffset + start + raw.bytes();
  }

  /**
   * Whether an entry that is {@linkplain #append appended} next, or not at all, belongs into this
   * block. Else the block must be closed first; never for the first entry of a block.
   *
   * @param common number of leading bytes its key has in common with that of the previous entry
   */
  boolean takes(int keyLength, int common, int valueLength, long trailer) {
    if (pages > SstFormat.MAX_SHARED_PAGES) {
      return false;
    }
    long rawBytes = raw.measure(keyLength, common, valueLength, trailer);
    return rawBytes <= limit || grow(rawBytes);
  }

  /**
   * Appends the current entry of the source, which the block takes.
   *
   * @param common number of leading bytes its key has in common with that of the previous entry
   * @param before sequence number of the previous entry
   */
  void append(
      ForwardIterator source,
      byte[] key,
      int keyOffset,
      int keyLength,
      int common,
      long trailer,
      long before) {
    if (pages > SstFormat.MAX_SHARED_PAGES) {
      appendAlone(source, key, keyOffset, keyLength, trailer);
    } else {
      entries.add(source, key, keyOffset, keyLength, common, trailer, before);
      raw.add();
    }
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

  /**
   * The entry is too large to be staged; only what is around it is. Writes the block to its end.
   */
  private void appendAlone(
      ForwardIterator source, byte[] key, int keyOffset, int keyLength, long trailer) {
    int payload = room(pages);
    long sequence = Trailer.sequence(trailer);
    int prefix = Math.min(keyLength, BlockEntries.MAX_PREFIX_BYTES);
    BlockEntries.encodeHead(view, start, 1, 1, 1, prefix, keyLength - prefix, sequence);
    file.append(staged, 0, start);
    Alone block = new Alone(stagedOffset + start, payload);
    block.add(staged, start, BlockEntries.HEAD_BYTES);
    block.add(key, keyOffset, prefix);
    // What has been appended is not needed any more. The prefix is the key but for a byte at most.
    staged[0] = keyLength > prefix ? key[keyOffset + prefix] : 0;
    int entryAt = 1 + BlockEntries.offsetsBytes(1);
    BlockEntries.putHeader(staged, entryAt, trailer, sequence);
    int headerEnd = entryAt + BlockEntries.headerBytes(0);
    ByteBuffer value = source.value();
    int before = BlockEntries.HEAD_BYTES + prefix;
    int valueEnd = value.limit();
    int entryEnd = before + headerEnd + valueEnd;
    BlockEntries.putOffset(view, 1, 1, 0, before + entryAt);
    BlockEntries.putOffset(view, 1, 1, 1, entryEnd);
    block.add(staged, 0, headerEnd);
    while (value.position() < valueEnd) {
      value.limit(Math.min(valueEnd, value.position() + PIECE_BYTES));
      block.add(value);
    }
    stagedOffset += SstFormat.pageStart(start);
    start = 0;
    int left = payload - entryEnd;
    Arrays.fill(staged, 0, left, (byte) 0);
    staged[0] = BlockEntries.MARK;
    block.add(staged, 0, left);
    block.end();
  }

  /** A block that is appended to the file bit by bit. */
  private final class Alone {
    private final long blockOffset;
    private final int raw;
    private final FileCipher.@Nullable Stream sealed;

    Alone(long blockOffset, int raw) {
      this.blockOffset = blockOffset;
      this.raw = raw;
      this.sealed = encoder.stream(raw, blockOffset);
      crc.reset();
    }

    void add(byte[] content, int offset, int length) {
      if (sealed == null) {
        append(content, offset, length);
      } else {
        byte[] some = sealed.next(content, offset, length);
        append(some, 0, some.length);
      }
    }

    /** What is left of a buffer. */
    void add(ByteBuffer content) {
      if (sealed == null) {
        crc.update(content.duplicate());
        file.append(content);
      } else {
        byte[] some = new byte[content.remaining()];
        content.get(some);
        add(some, 0, some.length);
      }
    }

    private void append(byte[] stored, int offset, int length) {
      crc.update(stored, offset, length);
      file.append(stored, offset, length);
    }

    void end() {
      int payload = raw;
      if (sealed != null) {
        byte[] rest = sealed.end();
        append(rest, 0, rest.length);
        payload += FileCipher.OVERHEAD;
      }
      seal(0, 0, payload, raw, Codecs.NONE, blockOffset);
      file.append(staged, 0, StoredBlock.BYTES);
    }
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
    int rawEnd = raw.writeTo(staged, start);
    Arrays.fill(staged, rawEnd, start + room, (byte) 0);
    sealStaged(room, room, Codecs.NONE);
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
    sealStaged(payloadBytes, rawBytes, codec);
    return next();
  }

  /** Completes the current block, of which the payload as encoded is where it belongs. */
  private void sealStaged(int encodedBytes, int rawBytes, BlockCodec codec) {
    long blockOffset = stagedOffset + start;
    int trailerAt = start + room(pages) + encoder.overhead() - StoredBlock.BYTES;
    int payload =
        encoder.sealPayload(staged, start, encodedBytes, rawBytes, codec.id(), blockOffset);
    Arrays.fill(staged, start + payload, trailerAt, (byte) 0);
    crc.reset();
    seal(start, trailerAt, payload, rawBytes, codec, blockOffset);
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
    encoder.encodeTo(view, end, payloadBytes, rawBytes, by.id());
    crc.update(staged, from, end - Integer.BYTES - from);
    encoder.encodeChecksumTo(view, end, (int) crc.getValue(), blockOffset);
  }
}
