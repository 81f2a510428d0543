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
   * A compaction is done: the inputs are gone, the output is the newest tree of the target stage.
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

  /** Log segments with a smaller number hold nothing that is needed. */
  record LogStart(long firstSegment) implements ForestEdit {}

  /** What the store has written since it was created, see {@link Totals}. */
  record TotalsReached(Totals totals) implements ForestEdit {}
}
