package io.sifr.internal.background;

import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.state.DatabaseHandle;

/**
 * A compaction that could begin or be resumed.
 *
 * @param database whose trees
 * @param plan which of them
 */
record DueCompaction(DatabaseHandle database, CompactionPlan plan) {
  /** Whether the two cannot run concurrently. */
  boolean conflictsWith(DueCompaction other) {
    return database == other.database && plan.conflictsWith(other.plan);
  }
}
