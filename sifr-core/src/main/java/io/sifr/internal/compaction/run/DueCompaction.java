package io.sifr.internal.compaction.run;

import io.sifr.internal.compaction.pick.Priority;
import io.sifr.internal.compaction.pick.Proposal;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.state.DatabaseHandle;

/**
 * A compaction that could begin or be resumed.
 *
 * @param database whose trees
 * @param proposal what its policy proposes
 */
record DueCompaction(DatabaseHandle database, Proposal proposal) {
  CompactionPlan plan() {
    return proposal.plan();
  }

  Priority priority() {
    return proposal.priority();
  }

  double score() {
    return proposal.score();
  }

  long inputBytes() {
    return proposal.inputBytes();
  }

  /** The same for a caller, who waits for it and runs it. */
  DueCompaction requested() {
    return new DueCompaction(database, Proposal.of(Priority.REQUESTED, plan()));
  }

  /** Pays for one that is for reads. */
  void pay() {
    if (priority().beginsAlone()) {
      database.wastedReads().use(proposal.cost());
      database.wastedReads().merged(plan().spans());
      if (priority() == Priority.IDLE) {
        database.wastedReads().mergedWhenIdle();
      }
    }
  }

  /** Whether the two cannot run concurrently. */
  boolean conflictsWith(DueCompaction other) {
    return database == other.database && plan().conflictsWith(other.plan());
  }
}
