package io.sifr.internal.wal;

import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.RecordFrame;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;

/**
 * The layout of a segment and of the payload of a record.
 *
 * <pre>
 * segment:  file header (32) · frames, each at a multiple of 8
 *           · zeros, or old content of a recycled file · mark of the segment (8)
 *
 * payload:  0  u64  first sequence number
 *           8  u32  synced mark: this segment's number minus the number of the mark's segment
 *          12  u32  synced mark: offset in that segment; 0: nothing is known to be synced
 *          16  u32  operation count; 0: a seal
 *          20  …    the encoded operations; in a seal, u64 number of the following segment
 * </pre>
 *
 * <p>In an encrypted segment the operations, or the number in a seal, are a sealed piece, with what
 * precedes them in the payload as its context, and the offset of the frame.
 */
public final class WalFormat {
  /** Segment sizes are multiples of this, so that no page is shared by two segments. */
  static final int SEGMENT_ALIGNMENT = 4096;

  /** Largest segment: what one buffer can map. */
  static final int MAX_SEGMENT_BYTES = Integer.MAX_VALUE & -SEGMENT_ALIGNMENT;

  /** Offset of the first frame of a segment. */
  static final int FIRST_FRAME = FileHeader.BYTES;

  static final int FIRST_SEQUENCE_AT = 0;
  static final int MARK_DISTANCE_AT = 8;
  static final int MARK_OFFSET_AT = 12;
  static final int OPERATION_COUNT_AT = 16;

  /** Bytes of the payload before the operations. */
  static final int PAYLOAD_HEAD_BYTES = 20;

  /** Payload of a seal: the head and the number of the following segment. */
  private static final int SEAL_PAYLOAD_BYTES = PAYLOAD_HEAD_BYTES + Long.BYTES;

  private WalFormat() {}

  /**
   * Bytes that a record takes beside its operations and what is around them.
   *
   * @param encrypted whether the segment is encrypted
   */
  private static int added(boolean encrypted) {
    return encrypted ? FileCipher.OVERHEAD : 0;
  }

  /** Bytes of the payload of a seal. */
  static int sealPayloadBytes(boolean encrypted) {
    return SEAL_PAYLOAD_BYTES + added(encrypted);
  }

  /** Bytes each segment keeps free at its end for its seal and its mark. */
  static int reservedBytes(boolean encrypted) {
    return (int) RecordFrame.bytes(sealPayloadBytes(encrypted)) + SegmentMark.BYTES;
  }

  /** Bytes of the frame of a record with that many bytes of operations. */
  static long frameBytes(long operationBytes, boolean encrypted) {
    return RecordFrame.bytes(PAYLOAD_HEAD_BYTES + operationBytes + added(encrypted));
  }

  /** Bytes of the smallest segment that holds one frame of that size. */
  static long segmentBytesFor(long frameBytes, boolean encrypted) {
    return roundedUp(FIRST_FRAME + frameBytes + reservedBytes(encrypted));
  }

  /**
   * The context of the sealed operations of a record.
   *
   * @param payloadAt where in the array the payload begins
   */
  static byte[] context(byte[] payload, int payloadAt, int frameOffset) {
    byte[] context =
        Arrays.copyOfRange(payload, payloadAt, payloadAt + PAYLOAD_HEAD_BYTES + Integer.BYTES);
    Bytes.putInt(context, PAYLOAD_HEAD_BYTES, frameOffset);
    return context;
  }

  /** Rounds up to a valid segment size; the argument is at most {@link #MAX_SEGMENT_BYTES}. */
  static int wholePages(long bytes) {
    return (int) roundedUp(bytes);
  }

  private static long roundedUp(long bytes) {
    return (bytes + SEGMENT_ALIGNMENT - 1) & -SEGMENT_ALIGNMENT;
  }

  /**
   * A position in the log before which everything is known to be durable. Each record carries the
   * mark that was current when it was appended. The marks distinguish a torn end from damage: data
   * that is not intact after all marks was perhaps never written; before any mark, it was.
   *
   * <p>A position and not a sequence number, because a position can be compared with that of the
   * damage even where no intact record says which sequence numbers should be there.
   *
   * @param segment number of the segment
   * @param offset offset in that segment; everything before it, and all earlier segments, are
   *     durable
   */
  public record SyncedMark(long segment, int offset) {
    /** The one of two that is further. */
    SyncedMark max(SyncedMark other) {
      return covers(other.segment, other.offset) ? this : other;
    }

    /** Whether the byte at that position is before the mark. */
    boolean covers(long placeSegment, int placeOffset) {
      return placeSegment < segment || (placeSegment == segment && placeOffset < offset);
    }
  }
}
