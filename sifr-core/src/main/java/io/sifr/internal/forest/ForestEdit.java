package io.sifr.internal.forest;

import io.sifr.config.DatabaseOptions;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import java.util.List;

/**
 * One durable change of the catalog. Edits are deltas: a compaction names the SSTs it wrote and the
 * numbers of those it moved, never a whole tree. A group of edits that belong together is one
 * record of the manifest and therefore atomic.
 */
public sealed interface ForestEdit {

  /** A database was created. */
  record DatabaseCreated(int databaseId, String name) implements ForestEdit {}

  /** The options of a database are these from now on; those of a new one are the default. */
  record DatabaseOptionsSet(int databaseId, DatabaseOptions options) implements ForestEdit {}

  /** A database and all its data are gone; its id is never used again. */
  record DatabaseDropped(int databaseId) implements ForestEdit {}

  /**
   * A tree became the newest of a stage: a flush (stage 1), or an existing tree when the manifest
   * is rewritten.
   *
   * @param slices its SSTs, or what it holds of them, ascending
   */
  record TreeAdded(int databaseId, int stage, long treeId, List<? extends SstSlice> slices)
      implements ForestEdit {
    /** Its SSTs, each once. */
    public List<Sst> ssts() {
      return slices.stream().map(SstSlice::sst).distinct().toList();
    }
  }

  /**
   * Trees became the oldest of a stage, in the order they had. The order of all trees stays the
   * same.
   */
  record TreesMoved(int databaseId, int stage, List<Long> treeIds) implements ForestEdit {}

  /** All writes to the database up to {@code sequence} are in its forest. */
  record FlushedTo(int databaseId, long sequence) implements ForestEdit {}

  /**
   * A compaction began (the first edit of its journal), or is running when the manifest is
   * rewritten.
   *
   * <p>The tombstones it may drop are not recorded: they are those whose key no tree below the
   * inputs may hold. No tree is added below them while it runs, so a resumed compaction decides
   * alike, or drops what compactions below have made obsolete meanwhile. Nor are snapshots
   * recorded: none outlives the process, and one taken later is newer than everything in the
   * inputs.
   *
   * @param compaction its trees and key ranges
   * @param outputStage the stage of the output tree. If there is no such tree yet, it is created:
   *     right before the inputs if there are any in the stage, else as the newest
   */
  record CompactionBegun(int databaseId, Compaction compaction, int outputStage)
      implements ForestEdit {}

  /**
   * A compaction has processed a key range: what the inputs held there is now in the output tree,
   * as far as it is needed. Input SSTs that are not named are gone.
   *
   * @param number of the compaction
   * @param written SSTs it wrote, ascending, all within the key range; perhaps none
   * @param movedSsts numbers of input SSTs within the key range that overlapped nothing and belong
   *     to the output tree as they are (TPDS §4.3)
   */
  record CompactionProgressed(
      int databaseId, long number, KeySpan span, List<Sst> written, List<Long> movedSsts)
      implements ForestEdit {}

  /**
   * A compaction ended. What it has not compacted stays in its inputs.
   *
   * @param number of the compaction
   */
  record CompactionEnded(int databaseId, long number) implements ForestEdit {}

  /**
   * Numbers of files and trees below {@code next} may have been used; after a restart counting
   * continues there.
   */
  record NumbersReserved(long next) implements ForestEdit {}

  /**
   * Database ids below {@code next} were used, perhaps by databases that are dropped; they are not
   * used again.
   */
  record DatabaseIdsUsed(int next) implements ForestEdit {}

  /**
   * Sequence numbers below {@code next} may have been used; after a restart counting continues
   * there.
   */
  record SequencesReserved(long next) implements ForestEdit {}

  /**
   * Log segments with a smaller number are obsolete. From now on the log may be written, whatever
   * an earlier {@link LogClosed} says.
   */
  record LogStart(long firstSegment) implements ForestEdit {}

  /**
   * The log was closed in order: all of it is durable, and nothing was ever written after that end.
   *
   * @param lastSegment number of its last segment
   * @param end where its last record ends there
   */
  record LogClosed(long lastSegment, int end) implements ForestEdit {}

  /**
   * So much of the log is retained from now on. If nothing was before, its history begins; if
   * nothing is any more, it ends, and its segments are obsolete.
   *
   * @param firstSequence with which a history begins
   */
  record LogRetained(Retention retention, long firstSequence) implements ForestEdit {}

  /** A segment that a later {@link LogStart} makes obsolete is retained. */
  record SegmentRetained(LogHistory.Segment segment) implements ForestEdit {}

  /** Retained segments with a smaller number are obsolete, and events before their end. */
  record SegmentsGivenBack(long firstSegment) implements ForestEdit {}

  /** Gives the other edits of the group a place in the history of the log. */
  record EventRecorded(LogEvent event) implements ForestEdit {}

  /** The totals of the store since it was created, see {@link Totals}. */
  record TotalsReached(Totals totals) implements ForestEdit {}

  /**
   * Sums over the life of a store, kept in the manifest so that they outlive the process.
   *
   * @param userBytes bytes of keys and values given to put and delete
   * @param walBytes bytes appended to the log
   * @param flushBytes bytes of SSTs written by flushes
   * @param compactionBytes bytes of SSTs written by compactions
   * @param movedBytes bytes of SSTs that changed stage by metadata alone
   * @param stallMillis milliseconds writers were slowed or stopped
   */
  public record Totals(
      long userBytes,
      long walBytes,
      long flushBytes,
      long compactionBytes,
      long movedBytes,
      long stallMillis) {
    /** The totals of a new store. */
    public static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0);
  }
}
