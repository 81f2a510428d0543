package io.sifr.internal.wal;

import io.sifr.error.StoreIoException;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.RecordFrame;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.wal.WalFormat.SyncedMark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A segment being written. One thread at a time appends; {@link #sync} and {@link #detach} may be
 * called by any thread and exclude each other, because a segment must not be unmapped during a
 * sync.
 */
final class WalSegment {
  /** Largest distance to a mark's segment that can be encoded. */
  private static final long MAX_MARK_DISTANCE = 0xFFFF_FFFFL;

  private final Path path;
  private final FileHeader header;
  private final int bytes;
  private final SegmentStorage storage;

  /** Null if it was not reopened. */
  private final @Nullable Past past;

  /** Seals the operations of records; null if the segment is not encrypted. */
  private final @Nullable FileCipher cipher;

  /** For sealed operations. */
  private byte[] sealed = Bytes.EMPTY;

  private final byte[] head = new byte[RecordFrame.HEADER_BYTES + WalFormat.PAYLOAD_HEAD_BYTES];
  private final CRC32C crc = new CRC32C();

  // The end of the last whole frame. Advanced by the appending thread when a frame is stored.
  private final AtomicInteger end;

  /** Set when it is complete. */
  private volatile @Nullable SegmentEnd sealedAt;

  private int syncedUpTo; // guarded by this
  private boolean detached; // guarded by this

  /** Creates a segment without records, whose header is durable already. */
  WalSegment(
      Path path,
      FileHeader header,
      int bytes,
      SegmentStorage storage,
      @Nullable FileCipher cipher) {
    this(path, header, bytes, storage, cipher, null);
  }

  private WalSegment(
      Path path,
      FileHeader header,
      int bytes,
      SegmentStorage storage,
      @Nullable FileCipher cipher,
      @Nullable Past past) {
    this.path = path;
    this.header = header;
    this.bytes = bytes;
    this.storage = storage;
    this.cipher = cipher;
    this.past = past;
    this.syncedUpTo = past == null ? WalFormat.FIRST_FRAME : past.end;
    this.end = new AtomicInteger(syncedUpTo);
  }

  /**
   * The state in which an earlier writer has left a segment.
   *
   * @param end where its records end; everything before it is durable, and nothing was ever stored
   *     after it
   * @param takesRecords whether records may follow; if not, only its seal does: new ones have to be
   *     encrypted in another way
   */
  record Past(int end, boolean takesRecords) {}

  /**
   * A segment of an earlier writer.
   *
   * @param cipher seals its records; null if it is not encrypted
   */
  static WalSegment reopened(
      Path path,
      FileHeader header,
      int bytes,
      SegmentStorage storage,
      @Nullable FileCipher cipher,
      Past past) {
    return new WalSegment(path, header, bytes, storage, cipher, past);
  }

  /** Whether an earlier writer created it: then it is never recycled, as others have read it. */
  boolean isReopened() {
    return past != null;
  }

  Path path() {
    return path;
  }

  long number() {
    return header.number();
  }

  int bytes() {
    return bytes;
  }

  /** Number of the key with which it is encrypted; 0: it is not. */
  int key() {
    return header.key();
  }

  /** Offset of the next frame. For the appending thread. */
  int end() {
    return end.getPlain();
  }

  /** Whether a frame of that size fits, with room left for the seal and the mark. */
  boolean hasRoomFor(long frameBytes) {
    return (past == null || past.takesRecords)
        && frameBytes <= bytes - WalFormat.reservedBytes(cipher != null) - end.getPlain();
  }

  /** Appends a record that {@link #hasRoomFor fits}, and returns the bytes of its frame. */
  int append(
      long firstSequence,
      SyncedMark mark,
      int operationCount,
      byte[] operations,
      int offset,
      int length) {
    int at = end.getPlain();
    encodeHead(firstSequence, mark, operationCount);
    byte[] stored = operations;
    int from = offset;
    int bytesStored = length;
    if (cipher != null) {
      bytesStored = length + FileCipher.OVERHEAD;
      if (sealed.length < bytesStored) {
        sealed = new byte[2 * bytesStored];
      }
      stored = sealed;
      from = 0;
      byte[] context = WalFormat.context(head, RecordFrame.HEADER_BYTES, at);
      cipher.seal(context, operations, offset, length, sealed, 0);
    }
    completeHead(at, stored, from, bytesStored);
    int frameBytes = (int) WalFormat.frameBytes(length, cipher != null);
    try {
      storage.storeFrame(at, frameBytes, head, stored, from, bytesStored);
    } catch (InternalError e) {
      throw notWritten(path, at, e);
    }
    end.setRelease(at + frameBytes);
    return frameBytes;
  }

  /** Appends the seal: this segment is complete, and the given one follows. */
  void seal(long nextSequence, SyncedMark mark, long nextSegment) {
    int records = end.getPlain();
    byte[] number = new byte[Long.BYTES];
    Bytes.putLong(number, 0, nextSegment);
    append(nextSequence, mark, 0, number, 0, number.length);
    sealedAt = new SegmentEnd(number(), bytes, records, end(), nextSequence);
  }

  /** Where its records end; null if it was not sealed since it was opened. */
  @Nullable SegmentEnd sealedAt() {
    return sealedAt;
  }

  private void encodeHead(long firstSequence, SyncedMark mark, int operationCount) {
    int payload = RecordFrame.HEADER_BYTES;
    long distance = header.number() - mark.segment();
    boolean known = distance <= MAX_MARK_DISTANCE;
    Bytes.putLong(head, payload + WalFormat.FIRST_SEQUENCE_AT, firstSequence);
    Bytes.putInt(head, payload + WalFormat.MARK_DISTANCE_AT, known ? (int) distance : 0);
    Bytes.putInt(head, payload + WalFormat.MARK_OFFSET_AT, known ? mark.offset() : 0);
    Bytes.putInt(head, payload + WalFormat.OPERATION_COUNT_AT, operationCount);
  }

  private void completeHead(int at, byte[] operations, int offset, int length) {
    // Computed from the arrays, not from the mapping: reading back what was just stored costs more.
    crc.reset();
    crc.update(head, RecordFrame.HEADER_BYTES, WalFormat.PAYLOAD_HEAD_BYTES);
    crc.update(operations, offset, length);
    RecordFrame.encodeHeader(
        head,
        0,
        WalFormat.PAYLOAD_HEAD_BYTES + length,
        (int) crc.getValue(),
        header.uniqueId(),
        at);
  }

  /** Where the records end that were appended before the call. For any thread. */
  int endForSync() {
    return end.getAcquire();
  }

  /**
   * Makes the records up to there durable and returns the offset up to which they are. Does nothing
   * once the segment is detached: its records are no longer needed.
   */
  synchronized SyncedMark sync(int target) {
    if (!detached && target > syncedUpTo) {
      storage.sync(syncedUpTo, target);
      syncedUpTo = target;
      storeMark(target);
    }
    return new SyncedMark(header.number(), syncedUpTo);
  }

  // Guarded by this.
  private void storeMark(int target) {
    int at = SegmentMark.offset(bytes);
    try {
      storage.storeMark(at, SegmentMark.encode(target, header.uniqueId(), bytes));
    } catch (InternalError e) {
      throw notWritten(path, at, e);
    }
  }

  /** Creates the exception for a page of a mapped segment that cannot be written. */
  static StoreIoException notWritten(Path path, int at, InternalError e) {
    return new StoreIoException(
        path, "write", new IOException("its mapping cannot be written at offset " + at, e));
  }

  /**
   * Detaches the storage, to close it or to reuse it for another segment; waits for a running sync.
   */
  synchronized SegmentStorage detach() {
    detached = true;
    return storage;
  }

  void warmUp() {
    try {
      storage.warmUp();
    } catch (InternalError e) {
      throw notWritten(path, 0, e);
    }
  }
}
