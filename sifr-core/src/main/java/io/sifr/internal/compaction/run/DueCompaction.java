package io.sifr.internal.compaction.run;

import io.sifr.event.CompactionReason;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.state.DatabaseHandle;

/**
 * A compaction that could begin or be resumed.
 *
 * @param database whose trees
 * @param plan which of them
 * @param urgency the policy's
 * @param inputBytes the plan's, which it has to sum up
 * @param readCost what it takes of the credit of {@link DatabaseHandle#wastedReads}
 */
record DueCompaction(
    DatabaseHandle database, CompactionPlan plan, double urgency, long inputBytes, long readCost) {
  DueCompaction(DatabaseHandle database, CompactionPlan plan, double urgency) {
    this(database, plan, urgency, plan.inputBytes());
  }

  DueCompaction(DatabaseHandle database, CompactionPlan plan, double urgency, long inputBytes) {
    this(database, plan, urgency, inputBytes, 0);
  }

  /** One that readers have paid for, or, in an idle store, flushes. */
  static DueCompaction forReads(DatabaseHandle database, CompactionPlan plan, long cost) {
    return new DueCompaction(database, plan, Double.NEGATIVE_INFINITY, plan.inputBytes(), cost);
  }

  /**
   * Whether it is due only because the database is read, or will be: it gives way to all others.
   */
  boolean isForReads() {
    return plan.reason() == CompactionReason.READS || isForIdleStore();
  }

  private boolean isForIdleStore() {
    return plan.reason() == CompactionReason.IDLE;
  }

  /** Pays for one that is for reads. */
  void pay() {
    database.wastedReads().use(readCost);
    database.wastedReads().merged(plan.spans());
    if (isForIdleStore()) {
      database.wastedReads().mergedWhenIdle();
    }
  }

  /** Whether the two cannot run concurrently. */
  boolean conflictsWith(DueCompaction other) {
    return database == other.database && plan.conflictsWith(other.plan);
  }
}
