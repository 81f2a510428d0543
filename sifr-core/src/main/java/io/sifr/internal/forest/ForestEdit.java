package io.sifr.internal.forest;

import io.sifr.internal.sst.Sst;
import java.util.List;

/**
 * One durable change of the catalog. Edits are deltas: a compaction names the SSTs it wrote and the
 * numbers of those it moved, never a whole tree. A group of edits that belong together is one
 * record of the manifest, so it happens wholly or not at all.
 */
public sealed interface ForestEdit {

  /** A database came into being. */
  record DatabaseCreated(int databaseId, String name) implements ForestEdit {}

  /** A database and all its data are gone; its id is never used again. */
  record DatabaseDropped(int databaseId) implements ForestEdit {}

  /**
   * A tree became the newest of a stage: a flush (stage 1), or a tree as it stands when the
   * manifest is written anew.
   *
   * @param ssts its SSTs, ascending
   */
  record TreeAdded(int databaseId, int stage, long treeId, List<Sst> ssts) implements ForestEdit {}

  /** All writes to the database up to {@code sequence} lie in its forest. */
  record FlushedTo(int databaseId, long sequence) implements ForestEdit {}

  /**
   * A compaction from beginning to end in one edit: the inputs are gone, the output is the newest
   * tree of the target stage. Still read, not written any more: the two edits below say the same.
   *
   * @param inputTreeIds the trees it consumed
   * @param written SSTs it wrote, ascending
   * @param movedSsts numbers of input SSTs that overlapped nothing and belong to the output tree as
   *     they are (TPDS §4.3)
   */
  record CompactionCommitted(
      int databaseId,
      List<Long> inputTreeIds,
      int targetStage,
      long outputTreeId,
      List<Sst> written,
      List<Long> movedSsts)
      implements ForestEdit {}

  /**
   * A compaction began (the first edit of its journal). Its output tree will be the newest of the
   * target stage.
   *
   * <p>Which tombstones it may drop needs no words: those whose key no tree below the inputs may
   * hold. Nothing comes in below them while it runs, so a merge that is resumed decides alike, or
   * drops what merges below have made unneeded meanwhile. Nor does it have to list snapshots: none
   * outlives the process, and one taken later is newer than all the inputs hold.
   *
   * @param outputTreeId the tree it writes; also the name of the compaction
   * @param inputTreeIds the trees it consumes
   * @param sourceStage stage they came from
   * @param rewritesAll whether it is one of all trees there are: they all become the oldest of the
   *     target stage, so that newer trees can be merged meanwhile; and SSTs that overlap nothing
   *     are rewritten instead of moved
   */
  record CompactionBegun(
      int databaseId,
      long outputTreeId,
      List<Long> inputTreeIds,
      int sourceStage,
      int targetStage,
      boolean rewritesAll)
      implements ForestEdit {}

  /**
   * A compaction has come through a span of keys: what the inputs held there is now in the output
   * tree, as far as it is needed. It is over when its inputs hold nothing any more.
   *
   * @param outputTreeId names the compaction
   * @param span has a last key, the frontier
   * @param written SSTs it wrote, ascending, all within the span; perhaps none
   * @param movedSsts numbers of input SSTs within the span that overlapped nothing and belong to
   *     the output tree as they are (TPDS §4.3)
   */
  record CompactionProgressed(
      int databaseId, long outputTreeId, KeySpan span, List<Sst> written, List<Long> movedSsts)
      implements ForestEdit {}

  /**
   * Numbers of files and trees below {@code next} may have been used; after a restart counting goes
   * on there.
   */
  record NumbersReserved(long next) implements ForestEdit {}

  /**
   * Database ids below {@code next} were used, perhaps by databases that are dropped; they are not
   * used again.
   */
  record DatabaseIdsUsed(int next) implements ForestEdit {}

  /**
   * Sequence numbers below {@code next} may have been used; after a restart counting goes on there.
   */
  record SequencesReserved(long next) implements ForestEdit {}

  /**
   * Log segments with a smaller number hold nothing that is needed. From now on the log may be
   * written, whatever an earlier {@link LogClosed} says.
   */
  record LogStart(long firstSegment) implements ForestEdit {}

  /**
   * The log was closed in order: all of it is durable, and nothing was ever written behind that
   * place.
   *
   * @param lastSegment number of its last segment
   * @param end where its last record ends there
   */
  record LogClosed(long lastSegment, int end) implements ForestEdit {}

  /** What the store has written since it was created, see {@link Totals}. */
  record TotalsReached(Totals totals) implements ForestEdit {}
}
