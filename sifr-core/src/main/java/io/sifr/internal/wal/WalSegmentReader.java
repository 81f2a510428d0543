package io.sifr.internal.wal;

import io.sifr.error.CorruptionException;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.format.RecordFrame;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.wal.WalFormat.SyncedMark;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the records of one segment. Begins before the first one; each call of {@link #next}
 * or {@link #findNext} that returns {@code true} has moved to a whole, intact record, which the
 * other methods then describe.
 *
 * <p>Reads the file instead of mapping it, because a read error in a mapping is not thrown where it
 * occurs, and it must not be mistaken for the end of the log. Used by one thread.
 */
public final class WalSegmentReader implements AutoCloseable {
  private static final int WINDOW_BYTES = 256 << 10;
  private static final int HEAD_BYTES = RecordFrame.HEADER_BYTES + WalFormat.PAYLOAD_HEAD_BYTES;

  /**
   * Limit of a search for a record: the bytes checksummed, in multiples of the segment's size.
   * Bytes that look like the head of a large record need a checksum over all of it, so values made
   * of such heads could make the search take forever.
   */
  private static final long SEARCH_BUDGET_SEGMENTS = 16;

  /**
   * Range of plausible sequence numbers, counted from the expected one: a record may follow a gap
   * that a recovery has left, because a log may go on after it. The word before a frame is often a
   * plausible length; the "sequence number" read after it then consists of the frame's own length
   * and checksum, far outside this range. Without the limit, searching a recycled segment of 16 MiB
   * full of 150-byte records would checksum 60 times its size.
   */
  private static final long SEARCHED_SEQUENCES = 2 * WalReplay.SKIPPED_SEQUENCES;

  private final Path path;
  private final RandomReadFile file;
  private final FileHeader header;

  /** Opens the operations of records; null if the segment is not encrypted. */
  private final @Nullable FileCipher cipher;

  private final int size;
  private final CRC32C crc = new CRC32C();

  // A window of the file: windowLength bytes from windowStart on.
  private byte[] window = new byte[0];
  private int windowStart;
  private int windowLength;

  private long smallestSequence = 1;
  private long searchBudget;

  // The current record.
  private int offset;
  private int end = WalFormat.FIRST_FRAME;
  private int payloadLength;
  private long firstSequence;
  private int operationCount;
  private SyncedMark mark = new SyncedMark(0, 0);

  private WalSegmentReader(
      Path path, RandomReadFile file, FileKeys keys, long number, boolean isDamaged) {
    this.path = path;
    this.file = file;
    this.size =
        isDamaged
            ? (int) Math.min(file.size(), WalFormat.MAX_SEGMENT_BYTES)
            : checkedSize(path, file.size());
    if (size < FileHeader.BYTES) {
      throw new CorruptionException(path, 0, "the file has " + size + " bytes");
    }
    this.searchBudget = SEARCH_BUDGET_SEGMENTS * size;
    load(0, FileHeader.BYTES);
    ByteBuffer head = ByteBuffer.wrap(window, 0, FileHeader.BYTES);
    this.header =
        isDamaged
            ? FileHeader.ofDamaged(
                path, head, FileKind.WAL, number, FileHeader.uniqueId(head), keys)
            : FileHeader.decode(path, head, FileKind.WAL, number);
    this.cipher = header.cipher(path, keys);
  }

  /**
   * Opens the segment with that number.
   *
   * @throws CorruptionException when its size or header is damaged; a segment has its name only
   *     when both are durable
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   * @throws io.sifr.error.StoreIoException when it cannot be read
   */
  public static WalSegmentReader open(StoreFileSystem files, Path directory, long number) {
    return open(files, directory, number, false);
  }

  /**
   * Opens a segment whose header and size may be damaged: the checksums of its records prove that
   * the unique id in the header is intact.
   *
   * @throws CorruptionException when the file is shorter than a header
   * @throws io.sifr.error.StoreIoException when it cannot be read
   */
  public static WalSegmentReader openDamaged(StoreFileSystem files, Path directory, long number) {
    return open(files, directory, number, true);
  }

  private static WalSegmentReader open(
      StoreFileSystem files, Path directory, long number, boolean isDamaged) {
    Path path = FileKind.WAL.path(directory, number);
    RandomReadFile file = files.openForRead(path);
    try {
      return new WalSegmentReader(path, file, files.keys(), number, isDamaged);
    } catch (RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  private static int checkedSize(Path path, long size) {
    if (size < WalFormat.SEGMENT_ALIGNMENT
        || size > WalFormat.MAX_SEGMENT_BYTES
        || size % WalFormat.SEGMENT_ALIGNMENT != 0) {
      throw new CorruptionException(
          path,
          0,
          "a segment has a multiple of "
              + WalFormat.SEGMENT_ALIGNMENT
              + " bytes, at most "
              + WalFormat.MAX_SEGMENT_BYTES
              + "; this one has "
              + size);
    }
    return (int) size;
  }

  /**
   * Sets the smallest sequence number expected in this segment; earlier records are in other
   * segments.
   */
  void expectFrom(long sequence) {
    smallestSequence = sequence;
  }

  /**
   * Moves to the record directly after the current one. When there is none, the position does not
   * change: {@link #endOffset} is then where no whole record begins.
   *
   * @throws CorruptionException when there is an intact record that does not belong there
   */
  public boolean next() {
    int length = wholePayloadAt(end);
    if (length == RecordFrame.NONE) {
      return false;
    }
    moveTo(end, length);
    return true;
  }

  /**
   * Moves to the first whole record at or after the end of the current one, wherever it begins.
   *
   * @throws CorruptionException when so many bytes look like records that the search is aborted
   */
  public boolean findNext() {
    for (int at = end; at <= size - HEAD_BYTES; at += RecordFrame.ALIGNMENT) {
      if (looksLikeRecord(at)) {
        int length = wholePayloadAt(at);
        if (length != RecordFrame.NONE) {
          moveTo(at, length);
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Whether the fields that are cheap to check are plausible; a checksum over garbage with a large
   * length is expensive.
   */
  private boolean looksLikeRecord(int at) {
    int i = load(at, HEAD_BYTES);
    int length = Bytes.getInt(window, i);
    if (length < WalFormat.PAYLOAD_HEAD_BYTES || length > size - at - RecordFrame.HEADER_BYTES) {
      return false;
    }
    int payload = i + RecordFrame.HEADER_BYTES;
    long sequence = Bytes.getLong(window, payload + WalFormat.FIRST_SEQUENCE_AT);
    int count = Bytes.getInt(window, payload + WalFormat.OPERATION_COUNT_AT);
    SyncedMark candidate = markAt(payload);
    if (!isPlausible(at, sequence, count, candidate)
        || sequence > smallestSequence + SEARCHED_SEQUENCES
        || candidate.offset() % RecordFrame.ALIGNMENT != 0
        || (count == 0
            ? length != WalFormat.sealPayloadBytes(cipher != null)
            : count > length - WalFormat.PAYLOAD_HEAD_BYTES)) {
      return false;
    }
    searchBudget -= length;
    if (searchBudget < 0) {
      throw new CorruptionException(
          path, at, "too much looks like a record to tell whether one follows the damage");
    }
    return true;
  }

  private boolean isPlausible(int at, long sequence, int count, SyncedMark candidate) {
    return sequence >= smallestSequence
        && sequence <= Trailer.MAX_SEQUENCE + 1
        && count >= 0
        && candidate.segment() >= 0
        && candidate.offset() >= 0
        && (candidate.segment() < header.number() || candidate.offset() <= at);
  }

  /**
   * Length of the payload of the record that begins there, or {@link RecordFrame#NONE} if none
   * does.
   */
  private int wholePayloadAt(int at) {
    if (size - at < HEAD_BYTES) {
      return RecordFrame.NONE;
    }
    int length = Bytes.getInt(window, load(at, RecordFrame.HEADER_BYTES));
    // The length is not verified yet, but it cannot require more memory than the file's size.
    if (length < WalFormat.PAYLOAD_HEAD_BYTES || length > size - at - RecordFrame.HEADER_BYTES) {
      return RecordFrame.NONE;
    }
    int i = load(at, RecordFrame.HEADER_BYTES + length);
    crc.reset();
    crc.update(window, i + RecordFrame.HEADER_BYTES, length);
    int actual = RecordFrame.checksum((int) crc.getValue(), length, header.uniqueId(), at);
    return actual == Bytes.getInt(window, i + 4) ? length : RecordFrame.NONE;
  }

  private void moveTo(int at, int length) {
    int payload = load(at, RecordFrame.HEADER_BYTES + length) + RecordFrame.HEADER_BYTES;
    long sequence = Bytes.getLong(window, payload + WalFormat.FIRST_SEQUENCE_AT);
    int count = Bytes.getInt(window, payload + WalFormat.OPERATION_COUNT_AT);
    SyncedMark found = markAt(payload);
    if (!isPlausible(at, sequence, count, found)
        || (count == 0 && length != WalFormat.sealPayloadBytes(cipher != null))) {
      throw new CorruptionException(
          path,
          at,
          String.format(
              "an intact record does not belong here: %d operations from sequence number %d on"
                  + " (expected: %d or more), %s",
              count, sequence, smallestSequence, found));
    }
    offset = at;
    payloadLength = length;
    firstSequence = sequence;
    operationCount = count;
    mark = found;
    end = at + (int) RecordFrame.bytes(length);
    smallestSequence = sequence + count;
  }

  private SyncedMark markAt(int payload) {
    long distance = Bytes.getInt(window, payload + WalFormat.MARK_DISTANCE_AT) & 0xFFFF_FFFFL;
    return new SyncedMark(
        header.number() - distance, Bytes.getInt(window, payload + WalFormat.MARK_OFFSET_AT));
  }

  /** Loads a range of the file into the window and returns its position there. */
  private int load(int at, int length) {
    if (at < windowStart || at + length > windowStart + windowLength) {
      int wanted = Math.min(size - at, Math.max(length, WINDOW_BYTES));
      if (window.length < wanted) {
        window = new byte[wanted];
      }
      windowLength = 0; // in case the read fails
      file.readFully(ByteBuffer.wrap(window, 0, wanted), at);
      windowStart = at;
      windowLength = wanted;
    }
    return at - windowStart;
  }

  /** The file. */
  public Path path() {
    return path;
  }

  FileHeader header() {
    return header;
  }

  public long number() {
    return header.number();
  }

  /** Bytes of the file. */
  public int size() {
    return size;
  }

  /** Whether the size of the file is a valid segment size. */
  public boolean hasWholePages() {
    return size % WalFormat.SEGMENT_ALIGNMENT == 0;
  }

  /** Offset of the record in the file. */
  public int offset() {
    return offset;
  }

  /** Offset of the record's operations in the file. */
  public int operationsOffset() {
    return offset + HEAD_BYTES;
  }

  /** Offset at which the next record should begin. */
  public int endOffset() {
    return end;
  }

  /** Sequence number of the record's first operation; for a seal, one larger than all before. */
  public long firstSequence() {
    return firstSequence;
  }

  /** Number of operations in the record; 0 for a seal. */
  public int operationCount() {
    return operationCount;
  }

  /** Whether the record is a seal, which ends a completed segment. */
  public boolean isSeal() {
    return operationCount == 0;
  }

  /** Number of the segment that the seal names as the next one. */
  public long followingSegment() {
    if (!isSeal()) {
      throw new IllegalStateException("the record at " + offset + " is no seal");
    }
    return operations().getLong();
  }

  /** The synced mark of the record. */
  public SyncedMark mark() {
    return mark;
  }

  /**
   * The offset up to which the segment was durable after its last sync, according to its own mark;
   * earlier segments were durable then. 0 when the mark is invalid.
   */
  public int syncedUpTo() {
    int at = load(SegmentMark.offset(size), SegmentMark.BYTES);
    return SegmentMark.decode(window, at, header.uniqueId(), size);
  }

  /** Offset of the segment's mark, which is the limit of its frames. */
  public int markOffset() {
    return SegmentMark.offset(size);
  }

  SyncedMark segmentMark() {
    int offset = syncedUpTo();
    return new SyncedMark(offset == 0 ? 0 : header.number(), offset);
  }

  /**
   * Forgets what was read in advance: the segment was appended to. The current record has to be
   * used before.
   */
  public void refresh() {
    windowLength = 0;
  }

  /** Moves back to the end of the record before: the current one does not count. */
  void endBefore() {
    end = offset;
    smallestSequence = firstSequence;
  }

  /** Asks whether what the record refers to is there, see {@link RecordVisitor#isWhole}. */
  boolean isWhole(RecordVisitor visitor, BooleanSupplier isDurable) {
    ByteBuffer found = operations();
    int from = found.arrayOffset() + found.position();
    return visitor.isWhole(firstSequence, found.array(), from, found.remaining(), isDurable);
  }

  /**
   * Passes the record's operations to the visitor.
   *
   * @throws io.sifr.error.TamperedException when they are encrypted and cannot be decrypted
   */
  public void visit(RecordVisitor visitor) {
    ByteBuffer found = operations();
    int from = found.arrayOffset() + found.position();
    visitor.visit(firstSequence, operationCount, found.array(), from, found.remaining());
  }

  /** The encoded operations of the record, from position to limit of a buffer with an array. */
  private ByteBuffer operations() {
    int payload = load(offset, RecordFrame.HEADER_BYTES + payloadLength) + RecordFrame.HEADER_BYTES;
    int at = payload + WalFormat.PAYLOAD_HEAD_BYTES;
    int length = payloadLength - WalFormat.PAYLOAD_HEAD_BYTES;
    if (cipher == null) {
      return ByteBuffer.wrap(window, at, length);
    }
    byte[] context = WalFormat.context(window, payload, offset);
    return ByteBuffer.wrap(cipher.open("log record", offset, context, window, at, length));
  }

  @Override
  public void close() {
    file.close();
  }
}
