package io.sifr.internal.background;

import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.state.DatabaseHandle;

/** The compaction of all trees of a database, on the caller's thread. */
final class FullCompaction {
  private final WorkMonitor monitor;
  private final int threads;
  private final CompactionWork work;
  private final CompactionQueue queue;
  private final CompactionSchedule compactions;

  FullCompaction(
      WorkParts parts, CompactionWork work, CompactionQueue queue, CompactionSchedule compactions) {
    this.monitor = parts.monitor();
    this.threads = parts.threads().compactions().most();
    this.work = work;
    this.queue = queue;
    this.compactions = compactions;
  }

  /**
   * Merges all trees of a database into one, and waits for it. Other compactions of the database
   * are held back only until it has begun, those of low stages hardly at all, since without
   * compactions a forest grows with every flush.
   */
  void of(DatabaseHandle database) {
    monitor.await(() -> queue.close(database));
    CompactionRun run;
    try {
      endBegun(database);
      int stage = work.gather(database);
      Forest forest = database.view().get().forest();
      if (forest.stage(stage).isEmpty()) {
        return;
      }
      run = begin(new DueCompaction(database, CompactionPlan.ofStage(forest, stage), 0));
      run.prepare(threads);
    } finally {
      synchronized (monitor) {
        queue.open(database);
      }
      compactions.wake();
    }
    compactions.finish(run);
  }

  /**
   * Ends all compactions of the database that have begun, the largest first. Others may begin
   * meanwhile: any during the first wait, which may be for one of all trees, and from then on only
   * those that are smaller than the one that is waited for, so that this terminates.
   */
  private void endBegun(DatabaseHandle database) {
    boolean isFirst = true;
    while (endLargest(database, isFirst)) {
      isFirst = false;
    }
  }

  /** Returns whether there was any. */
  private boolean endLargest(DatabaseHandle database, boolean mayGrow) {
    DueCompaction largest;
    CompactionRun remainder;
    // In one step: a moment later it may have ended, and its trees be gone.
    synchronized (monitor) {
      largest = queue.largestBegun(database);
      if (largest == null) {
        queue.closeFrom(database, 0);
        return false;
      }
      if (!mayGrow) {
        queue.closeFrom(database, largest.inputBytes());
      }
      remainder = queue.isActive(largest) ? null : compactions.begin(largest, true);
    }
    if (remainder == null) {
      monitor.await(() -> !queue.isActive(largest));
    } else {
      remainder.prepare(threads);
      compactions.finish(remainder);
    }
    return true;
  }

  private CompactionRun begin(DueCompaction due) {
    synchronized (monitor) {
      return compactions.begin(due, true);
    }
  }
}
