package io.sifr.internal.background;

import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.state.DatabaseHandle;
import org.jspecify.annotations.Nullable;

/** The merge of all trees of a database, in the thread of a user who waits for it. */
final class FullMerge {
  private final WorkMonitor monitor;
  private final int threads;
  private final MergeQueue queue;
  private final MergeSchedule merges;

  FullMerge(WorkParts parts, MergeQueue queue, MergeSchedule merges) {
    this.monitor = parts.monitor();
    this.threads = parts.threads().mergers();
    this.queue = queue;
    this.merges = merges;
  }

  /**
   * Merges all trees a database has into one, and waits for it. Other merges of the database rest
   * only until it has begun, those of low stages hardly at all: a forest to which nobody attends
   * grows with every flush.
   */
  void of(DatabaseHandle database) {
    monitor.await(() -> queue.close(database));
    MergeRun run;
    try {
      endMerges(database);
      CompactionPlan plan = CompactionPlan.ofAll(database.view().get().forest());
      if (plan.inputs().isEmpty()) {
        return;
      }
      run = begin(MergeJob.of(database, plan));
      run.prepare(threads);
    } finally {
      synchronized (monitor) {
        queue.open(database);
      }
      merges.wake();
    }
    merges.finish(run);
  }

  /** Waits until no merge of the database has begun: from the highest stage down. */
  private void endMerges(DatabaseHandle database) {
    for (int stage = closeHighest(database); stage > 0; stage = closeHighest(database)) {
      MergeRun remainder = beginRemainder(database, stage);
      if (remainder != null) {
        remainder.prepare(threads);
        merges.finish(remainder);
      } else {
        int awaited = stage;
        monitor.await(() -> !queue.isActive(database, awaited));
      }
    }
  }

  private int closeHighest(DatabaseHandle database) {
    synchronized (monitor) {
      int highest = queue.highestBegun(database);
      queue.closeFrom(database, Math.max(1, highest));
      return highest;
    }
  }

  /** Takes a merge that has begun, and at which nobody is at work. */
  private @Nullable MergeRun beginRemainder(DatabaseHandle database, int stage) {
    synchronized (monitor) {
      if (queue.isActive(database, stage)) {
        return null;
      }
      for (Compaction merge : database.view().get().forest().merges()) {
        if (merge.sourceStage() == stage) {
          return begin(MergeJob.rest(database, merge));
        }
      }
      return null;
    }
  }

  private MergeRun begin(MergeJob job) {
    synchronized (monitor) {
      return merges.begin(job, true);
    }
  }
}
