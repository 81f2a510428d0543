package io.sifr.internal.compaction.run;

import io.sifr.internal.compaction.pick.Priority;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.state.DatabaseHandle;

/**
 * A compaction that could begin or be resumed.
 *
 * @param database whose trees
 * @param plan which of them
 * @param priority how it begins and runs
 * @param score the higher, the sooner it begins; compared within its priority only
 * @param inputBytes the plan's, which it has to sum up; 0 if nothing of them is read
 * @param readCost what it takes of the credit of {@link DatabaseHandle#wastedReads}
 */
record DueCompaction(
    DatabaseHandle database,
    CompactionPlan plan,
    Priority priority,
    double score,
    long inputBytes,
    long readCost) {
  DueCompaction(DatabaseHandle database, CompactionPlan plan, Priority priority, double score) {
    this(database, plan, priority, score, priority == Priority.DROP ? 0 : plan.inputBytes(), 0);
  }

  /** One that readers have paid for, or, in an idle store, flushes. */
  static DueCompaction forReads(
      DatabaseHandle database, CompactionPlan plan, Priority priority, long cost) {
    return new DueCompaction(database, plan, priority, 0, plan.inputBytes(), cost);
  }

  /** One that a caller waits for, and runs. */
  static DueCompaction requested(DatabaseHandle database, CompactionPlan plan) {
    return new DueCompaction(database, plan, Priority.REQUESTED, 0);
  }

  /** Pays for one that is for reads. */
  void pay() {
    if (priority.beginsAlone()) {
      database.wastedReads().use(readCost);
      database.wastedReads().merged(plan.spans());
      if (priority == Priority.IDLE) {
        database.wastedReads().mergedWhenIdle();
      }
    }
  }

  /** Whether the two cannot run concurrently. */
  boolean conflictsWith(DueCompaction other) {
    return database == other.database && plan.conflictsWith(other.plan);
  }
}
