package io.sifr.internal.background;

import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.state.DatabaseHandle;

/**
 * A compaction that could begin or be resumed.
 *
 * @param database whose trees
 * @param plan which of them
 * @param urgency the policy's
 * @param inputBytes the plan's, which it has to sum up
 */
record DueCompaction(
    DatabaseHandle database, CompactionPlan plan, double urgency, long inputBytes) {
  DueCompaction(DatabaseHandle database, CompactionPlan plan, double urgency) {
    this(database, plan, urgency, plan.inputBytes());
  }

  /** Whether the two cannot run concurrently. */
  boolean conflictsWith(DueCompaction other) {
    return database == other.database && plan.conflictsWith(other.plan);
  }
}
