package io.sifr.internal.wal;

import io.sifr.error.CorruptionException;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.wal.WalFormat.SyncedMark;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log from its first needed segment to its end. Never writes: usually the caller makes the
 * records durable elsewhere, begins a new log, and then deletes the old segments. A log whose end
 * was found only by replay is not appended to as it is: old records after its end could reappear
 * after newer ones. One that was closed in order, whose end is recorded, may be appended to, see
 * {@link WalWriter#resume}; {@link WalRewrite} makes such a log of one that was not.
 *
 * <h2>Where a log ends</h2>
 *
 * <p>Each segment's seal names the next one. The log ends at the first position where no whole
 * record begins. That is how a log looks after its last record, where there are zeros or the old
 * content of a recycled file. It is also how a log looks after a power failure, when pages that
 * were not synced are missing <em>in any order</em>: whole records may follow that position, in
 * this segment and in later ones. They are discarded, because a suffix of the log may be lost but
 * nothing in the middle (I6).
 *
 * <p>Damage looks the same. The two are distinguished by the synced marks, one in each record and
 * one at the end of each segment. When any whole record after the position, or the mark of its
 * segment or a later one, says that the position was synced, it once held a whole record; that it
 * no longer does is a {@link CorruptionException} naming the position. Where no mark says so, no
 * write from there on was confirmed as durable.
 *
 * <p>A record may refer to values outside of the log, which are made durable before it is synced. A
 * power failure may leave the record without them; then it is not whole either, and the log ends
 * before it, unless a mark says that it was synced: then the value is damaged, and the visitor gets
 * the record.
 *
 * <p>The following are never taken for the end of the log but are errors: a damaged header (it was
 * durable before the segment got its name), a sealed segment whose successor is missing, a missing
 * first needed segment, and anything the platform cannot read.
 */
public final class WalReplay {
  /**
   * Sequence numbers that a recovery leaves out, so that those of lost writes are not used again;
   * no more writes can have been lost than fit into memory. The gap is inside the log if it goes
   * on.
   */
  public static final long SKIPPED_SEQUENCES = 1L << 32;

  private WalReplay() {}

  /**
   * The result of a replay.
   *
   * @param lastSequence sequence number of the last operation visited, 0 when there was none
   * @param records number of records visited
   * @param segments numbers of all segments from the first needed one on, including those without
   *     records: to be deleted when the visited records are durable elsewhere
   * @param endSegment number of the segment in which the log ends, 0 when there is no segment
   * @param endOffset offset in that segment at which the log ends
   * @param discardedRecords number of whole records after the end: writes that were not confirmed
   *     as durable and are lost because earlier ones are
   * @param ends where the records of each segment end that were visited, in their order
   */
  public record Result(
      long lastSequence,
      long records,
      List<Long> segments,
      long endSegment,
      long endOffset,
      long discardedRecords,
      List<SegmentEnd> ends) {
    /** Of a log without segments. */
    public static final Result NOTHING = new Result(0, 0, List.of(), 0, 0, 0, List.of());

    /**
     * Whether the log ends exactly there and nothing follows, which is so when nothing was written
     * since it was closed.
     */
    public boolean endsAt(WalEnd closed) {
      return endSegment == closed.segment()
          && endOffset == closed.offset()
          && discardedRecords == 0;
    }

    /**
     * Checks that the log reaches up to where it was closed.
     *
     * @throws CorruptionException when it ends before that: all of it was durable
     */
    public void requireReaches(Path directory, WalEnd closed) {
      if (endSegment < closed.segment()
          || (endSegment == closed.segment() && endOffset < closed.offset())) {
        throw new CorruptionException(
            FileKind.WAL.path(directory, endSegment),
            endOffset,
            String.format(
                "no whole record begins here, but the manifest says that the log was closed at %d"
                    + " of segment %d",
                closed.offset(), closed.segment()));
      }
    }
  }

  /**
   * Visits all records of the log.
   *
   * @param directory the store's directory
   * @param firstNeededSegment number of the oldest segment that was not released, which must exist;
   *     0 to begin with the oldest there is
   * @param visitor receives the records; they must be dropped when this method throws
   * @throws CorruptionException when a record that was durable is damaged or missing
   * @throws io.sifr.error.StoreIoException when a segment cannot be read
   */
  public static Result replay(
      StoreFileSystem files, Path directory, long firstNeededSegment, RecordVisitor visitor) {
    List<Long> segments =
        FileKind.WAL.numbersIn(files, directory).stream()
            .filter(number -> number >= firstNeededSegment)
            .toList();
    if (firstNeededSegment > 0 && !segments.contains(firstNeededSegment)) {
      throw missing(directory, firstNeededSegment);
    }
    if (segments.isEmpty()) {
      return Result.NOTHING;
    }
    return new Scan(files, directory, segments, visitor).toTheEnd();
  }

  private static CorruptionException missing(Path directory, long segment) {
    return new CorruptionException(
        FileKind.WAL.path(directory, segment), 0, "the segment is needed but missing");
  }

  /** One replay. */
  private static final class Scan {
    private final StoreFileSystem files;
    private final Path directory;
    private final List<Long> segments;
    private final RecordVisitor visitor;

    private long nextSequence = 1;
    private long lastSequence;
    private long records;

    /** The furthest mark after the first record of which it was asked; null before. */
    private @Nullable SyncedMark synced;

    private final List<SegmentEnd> ends = new ArrayList<>();

    Scan(StoreFileSystem files, Path directory, List<Long> segments, RecordVisitor visitor) {
      this.files = files;
      this.directory = directory;
      this.segments = segments;
      this.visitor = visitor;
    }

    Result toTheEnd() {
      long segment = segments.get(0);
      while (true) {
        try (WalSegmentReader reader = WalSegmentReader.open(files, directory, segment)) {
          reader.expectFrom(nextSequence);
          boolean sealed = visitRecords(reader);
          int end = reader.endOffset();
          int records = sealed ? reader.offset() : end;
          ends.add(new SegmentEnd(reader.number(), reader.size(), records, end, nextSequence));
          if (!sealed) {
            return end(reader);
          }
          segment = follower(reader);
        }
      }
    }

    /** Whether the segment is complete: ended by a seal. */
    private boolean visitRecords(WalSegmentReader reader) {
      while (reader.next()) {
        if (!reader.isSeal() && !reader.isWhole(visitor, () -> isSynced(reader))) {
          reader.endBefore();
          return false;
        }
        nextSequence = reader.firstSequence() + reader.operationCount();
        if (reader.isSeal()) {
          return true;
        }
        reader.visit(visitor);
        lastSequence = nextSequence - 1;
        records++;
      }
      return false;
    }

    private boolean isSynced(WalSegmentReader record) {
      SyncedMark known = synced;
      if (known == null) {
        known = furthestMark(record.number());
        synced = known;
      }
      return known.covers(record.number(), record.offset());
    }

    /** The furthest mark of a segment and of later ones, and of the records from now on. */
    private SyncedMark furthestMark(long from) {
      SyncedMark furthest = new SyncedMark(0, 0);
      for (long segment : segments) {
        if (segment >= from) {
          try (WalSegmentReader reader = WalSegmentReader.open(files, directory, segment)) {
            reader.expectFrom(nextSequence);
            furthest = furthest.max(reader.segmentMark());
            while (reader.findNext()) {
              furthest = furthest.max(reader.mark());
            }
          }
        }
      }
      return furthest;
    }

    private long follower(WalSegmentReader sealed) {
      long follower = sealed.followingSegment();
      if (follower <= sealed.number()) {
        throw new CorruptionException(
            sealed.path(), sealed.offset(), "segment " + follower + " cannot follow this one");
      }
      if (!segments.contains(follower)) {
        throw missing(directory, follower);
      }
      return follower;
    }

    private Result end(WalSegmentReader last) {
      int offset = last.endOffset();
      long discarded = discard(last, last.number(), offset);
      for (long segment : segments) {
        if (segment > last.number()) {
          try (WalSegmentReader later = WalSegmentReader.open(files, directory, segment)) {
            later.expectFrom(nextSequence);
            discarded += discard(later, last.number(), offset);
          }
        }
      }
      return new Result(
          lastSequence, records, segments, last.number(), offset, discarded, List.copyOf(ends));
    }

    /**
     * Counts the remaining whole records. None of them, and no segment's mark, may say that the
     * position found as the end of the log was synced.
     */
    private long discard(WalSegmentReader reader, long endSegment, int endOffset) {
      requireNotSynced(reader.segmentMark(), "mark", reader, endSegment, endOffset);
      long discarded = 0;
      while (reader.findNext()) {
        String witness = "record at " + reader.offset();
        requireNotSynced(reader.mark(), witness, reader, endSegment, endOffset);
        discarded += reader.isSeal() ? 0 : 1;
      }
      return discarded;
    }

    private void requireNotSynced(
        SyncedMark mark, String witness, WalSegmentReader reader, long endSegment, int endOffset) {
      if (mark.covers(endSegment, endOffset)) {
        throw new CorruptionException(
            FileKind.WAL.path(directory, endSegment),
            endOffset,
            String.format(
                "no whole record begins here, but the %s of %s says that the log was synced up to"
                    + " %d of segment %d",
                witness, reader.path(), mark.offset(), mark.segment()));
      }
    }
  }
}
