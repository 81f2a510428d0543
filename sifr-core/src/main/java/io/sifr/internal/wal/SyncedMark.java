package io.sifr.internal.wal;

/**
 * A place in the log before which everything is known to be durable. Each record carries the mark
 * of its time, and so tells a torn end from damage: what is not whole at or behind all marks was
 * perhaps never written; before one it was.
 *
 * <p>A place and not a sequence number, because a place is compared with the place of the damage
 * even where no whole record tells which sequence numbers should be there.
 *
 * @param segment number of the segment
 * @param offset offset in that segment; everything before it, and all earlier segments, are durable
 */
record SyncedMark(long segment, int offset) {
  /** Whether the byte at that place is before the mark. */
  boolean covers(long placeSegment, int placeOffset) {
    return placeSegment < segment || (placeSegment == segment && placeOffset < offset);
  }
}
