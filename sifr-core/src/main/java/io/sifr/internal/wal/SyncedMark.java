package io.sifr.internal.wal;

/**
 * A position in the log before which everything is known to be durable. Each record carries the
 * mark that was current when it was appended. The marks distinguish a torn end from damage: data
 * that is not intact after all marks was perhaps never written; before any mark, it was.
 *
 * <p>A position and not a sequence number, because a position can be compared with that of the
 * damage even where no intact record tells which sequence numbers should be there.
 *
 * @param segment number of the segment
 * @param offset offset in that segment; everything before it, and all earlier segments, are durable
 */
public record SyncedMark(long segment, int offset) {
  /** Whether the byte at that position is before the mark. */
  boolean covers(long placeSegment, int placeOffset) {
    return placeSegment < segment || (placeSegment == segment && placeOffset < offset);
  }
}
