package io.sifr.inspect.salvage;

import io.sifr.error.CorruptionException;
import io.sifr.inspect.Finding;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.wal.Operations;
import io.sifr.internal.wal.WalEnd;
import io.sifr.internal.wal.WalSegmentReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Reads all whole records of a log, before and after damage. A recovery would stop at the first
 * damage, so that nothing is missing in the middle; here the records after it are better than
 * nothing.
 *
 * <p>Bytes between two whole records without a gap in their sequence numbers were no record. Where
 * there is a gap, at most as many operations are lost: writes without a log have sequence numbers
 * too.
 */
final class LogSalvage {
  private static final long UNKNOWN = 0;

  private final OfflineStore store;
  private final StoreKnowledge knowledge;
  private final DatabaseNames names;
  private final Losses losses;
  private final Set<Finding> notes;
  private final LogSpill spill;
  private final Operations.Reader operations = new Operations.Reader();

  private long records;

  /** Sequence number of the operation that should come next; 0 when unknown. */
  private long nextSequence = UNKNOWN;

  /** The segment that should come next; 0 when unknown. */
  private long nextSegment = UNKNOWN;

  /** True if the header of the segment being read is intact. */
  private boolean isHeaderWhole = true;

  /** The holes since the last whole record. */
  private final List<Hole> holes = new ArrayList<>();

  /**
   * A position at which no whole record begins, and the bytes up to the next one.
   *
   * @param isDamage whether it is known that there was a record
   */
  private record Hole(Path file, long offset, long bytes, String what, boolean isDamage) {}

  LogSalvage(
      OfflineStore store,
      StoreKnowledge knowledge,
      DatabaseNames names,
      Losses losses,
      Set<Finding> notes,
      LogSpill spill) {
    this.store = store;
    this.knowledge = knowledge;
    this.names = names;
    this.losses = losses;
    this.notes = notes;
    this.spill = spill;
  }

  /** Number of records taken. */
  long records() {
    return records;
  }

  /** Reads the log. */
  void run() {
    List<Long> segments = store.numbers(FileKind.WAL);
    long needed = knowledge.log().firstSegment();
    segments.stream().filter(segment -> segment < needed).forEach(this::readUnneeded);
    boolean isThere =
        !knowledge.log().retainedSegments().containsAll(segments)
            || knowledge.log().closed() != null;
    if (knowledge.isWhole() && isThere && !segments.contains(needed)) {
      // The manifest names a log before its first record, so only a log that was never used begins
      // elsewhere. Most likely it was used; if it was closed that is certain.
      holes.add(missing(needed, true));
    }
    for (long segment : segments) {
      // Segments between one and the successor named in its seal were prepared but not used.
      if (segment >= needed && segment >= nextSegment) {
        read(segment, true);
        if (nextSegment != UNKNOWN && !segments.contains(nextSegment)) {
          holes.add(missing(nextSegment, knowledge.isWhole()));
        }
      }
    }
    WalEnd closed = knowledge.log().closed();
    if (knowledge.isWhole() && closed != null && !segments.contains(closed.segment())) {
      noteMissingEnd(closed.segment());
    }
    for (Hole hole : holes) {
      if (hole.isDamage()) {
        losses.add(new Loss(hole.file(), hole.offset(), hole.bytes(), hole.what()));
      }
    }
  }

  /** A log that was closed has its last segment; the seal before may have named it already. */
  private void noteMissingEnd(long segment) {
    if (holes.stream().noneMatch(hole -> hole.file().equals(path(segment)))) {
      holes.add(missing(segment, true));
    }
  }

  /** Reads a segment of which everything should be in the forests. */
  private void readUnneeded(long segment) {
    read(segment, false);
    holes.clear();
    nextSequence = UNKNOWN;
    nextSegment = UNKNOWN;
  }

  private Hole missing(long segment, boolean isDamage) {
    return new Hole(path(segment), 0, 0, "the log segment is missing", isDamage);
  }

  private Path path(long segment) {
    return store.path(FileKind.WAL, segment);
  }

  private void read(long segment, boolean isNeeded) {
    Path file = path(segment);
    nextSegment = UNKNOWN;
    isHeaderWhole = true;
    try (WalSegmentReader reader = open(file, segment, isNeeded)) {
      boolean sealed = false;
      while (!sealed && (reader.next() || nextAfterGap(reader))) {
        take(reader, isNeeded);
        sealed = reader.isSeal();
      }
      if (sealed) {
        nextSegment = reader.followingSegment();
      } else {
        noteEnd(reader);
      }
    } catch (CorruptionException e) {
      long from = e.offset();
      holes.add(new Hole(file, from, Math.max(0, store.size(file) - from), e.what(), isNeeded));
    }
  }

  private WalSegmentReader open(Path file, long segment, boolean isNeeded) {
    try {
      return store.openSegment(segment);
    } catch (CorruptionException e) {
      if (isNeeded) {
        notes.add(new Finding(file, e.offset(), e.what()));
      }
      isHeaderWhole = false;
      return store.openDamagedSegment(segment);
    }
  }

  private boolean nextAfterGap(WalSegmentReader reader) {
    int gap = reader.endOffset();
    if (!reader.findNext()) {
      return false;
    }
    int bytes = reader.offset() - gap;
    holes.add(new Hole(reader.path(), gap, bytes, "no whole record", true));
    return true;
  }

  private void noteEnd(WalSegmentReader reader) {
    int end = reader.endOffset();
    int synced = Math.max(reader.syncedUpTo(), closedAt(reader.number()));
    // If the header is damaged its unique id may be, too, and then no record can be recognized; and
    // a truncated file has lost its mark.
    boolean isDamage =
        synced > end || (!isHeaderWhole && (reader.offset() == 0 || !reader.hasWholePages()));
    int to = synced > end ? synced : Math.max(end, reader.markOffset());
    holes.add(new Hole(reader.path(), end, to - end, "no whole record", isDamage));
  }

  /** The offset up to which a segment was certainly written, according to the manifest. */
  private int closedAt(long segment) {
    WalEnd closed = knowledge.log().closed();
    return closed != null && closed.segment() == segment ? closed.offset() : 0;
  }

  private void take(WalSegmentReader reader, boolean isNeeded) {
    if (isNeeded) {
      settleHoles(reader);
    }
    nextSequence = reader.firstSequence() + reader.operationCount();
    if (reader.isSeal()) {
      return;
    }
    records += isNeeded ? 1 : 0;
    reader.visit(
        (sequence, count, bytes, offset, length) -> {
          try {
            takeOperations(reader, sequence, bytes, offset, length);
          } catch (IllegalArgumentException e) {
            noteUnreadable(reader, count, String.valueOf(e.getMessage()));
          }
        });
  }

  private void noteUnreadable(WalSegmentReader reader, int operationCount, String why) {
    int bytes = reader.endOffset() - reader.offset();
    losses.add(
        new Loss(reader.path(), reader.offset(), bytes, "in an intact record, " + why)
            .entries(operationCount));
  }

  /** A whole record follows: the holes before it are lost records, or were none. */
  private void settleHoles(WalSegmentReader reader) {
    long lost = nextSequence == UNKNOWN ? Loss.UNKNOWN : reader.firstSequence() - nextSequence;
    boolean isFirst = true;
    for (Hole hole : holes) {
      if (lost != 0) {
        losses.add(
            new Loss(hole.file(), hole.offset(), hole.bytes(), hole.what())
                .entries(isFirst ? lost : Loss.UNKNOWN));
        isFirst = false;
      } else if (hole.isDamage()) {
        notes.add(new Finding(hole.file(), hole.offset(), hole.what() + "; nothing was lost"));
      }
    }
    holes.clear();
  }

  private void takeOperations(
      WalSegmentReader reader, long firstSequence, byte[] bytes, int offset, int length) {
    long sequence = firstSequence;
    operations.reset(bytes, offset, length);
    while (operations.next()) {
      if (!operations.isRangeDelete()) {
        EntryKinds.STANDARD.requireLogged(operations.kind(), operations.valueLength());
      }
      int id = operations.databaseId();
      String database = names.of(id, reader.path());
      if (database != null && isWanted(id, database, sequence)) {
        spill.add(database, sequence, operations);
      }
      sequence++;
    }
  }

  /**
   * Operations that are in the forest already are taken from the log only where the forest is
   * damaged; but a range delete can only hide what was deleted by it.
   */
  private boolean isWanted(int id, String database, long sequence) {
    return operations.isRangeDelete()
        || sequence > knowledge.databases().flushed().getOrDefault(id, 0L)
        || losses.cover(
            database, operations.array(), operations.keyOffset(), operations.keyLength());
  }
}
