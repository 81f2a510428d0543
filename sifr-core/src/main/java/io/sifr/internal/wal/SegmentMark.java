package io.sifr.internal.wal;

import io.sifr.internal.format.Checksums;
import io.sifr.internal.util.Bytes;

/**
 * The last eight bytes of a segment: the offset up to which it was durable after its last sync.
 *
 * <pre>
 *  0  u32  offset before which everything in the segment is durable
 *  4  u32  CRC32C of bytes 0-3, bound to the file's unique id and the offset of the mark
 * </pre>
 *
 * <p>The mark in each record says what was durable when the record was appended, so the last sync
 * appears in no record until another one follows. Damage to what it synced would look like a torn
 * end, and a confirmed write would be lost silently. This mark closes the gap: it is stored
 * atomically after the sync has returned. It need not be durable itself: an old mark claims less,
 * and a damaged one, or one left from an earlier use of the file, claims nothing.
 */
final class SegmentMark {
  /** Size in bytes. */
  static final int BYTES = Long.BYTES;

  private SegmentMark() {}

  /** Its offset in a segment of that size. */
  static int offset(int segmentBytes) {
    return segmentBytes - BYTES;
  }

  /** The mark of a segment that is durable up to {@code syncedUpTo}. */
  static byte[] encode(int syncedUpTo, long uniqueId, int segmentBytes) {
    byte[] mark = new byte[BYTES];
    Bytes.putInt(mark, 0, syncedUpTo);
    Bytes.putInt(mark, Integer.BYTES, checksum(mark, 0, uniqueId, segmentBytes));
    return mark;
  }

  /**
   * The offset up to which the segment is durable according to its mark; 0 when the mark is
   * invalid.
   */
  static int decode(byte[] array, int at, long uniqueId, int segmentBytes) {
    int syncedUpTo = Bytes.getInt(array, at);
    boolean whole =
        Bytes.getInt(array, at + Integer.BYTES) == checksum(array, at, uniqueId, segmentBytes);
    return whole && syncedUpTo > 0 && syncedUpTo <= offset(segmentBytes) ? syncedUpTo : 0;
  }

  private static int checksum(byte[] array, int at, long uniqueId, int segmentBytes) {
    int crc = Checksums.crc32c(array, at, Integer.BYTES);
    return Checksums.bind(crc, uniqueId, offset(segmentBytes));
  }
}
