package io.sifr.internal.background;

import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.state.DatabaseHandle;
import org.jspecify.annotations.Nullable;

/** The merge of all trees of a database, in the thread of a user who waits for it. */
final class FullMerge {
  private final WorkMonitor monitor;
  private final int threads;
  private final MergeWork work;
  private final CompactionQueue queue;
  private final MergeSchedule merges;

  FullMerge(WorkParts parts, MergeWork work, CompactionQueue queue, MergeSchedule merges) {
    this.monitor = parts.monitor();
    this.threads = parts.threads().mergers();
    this.work = work;
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
    CompactionRun run;
    try {
      endBegun(database);
      int stage = work.gather(database);
      Forest forest = database.view().get().forest();
      if (forest.stage(stage).isEmpty()) {
        return;
      }
      run = begin(new DueCompaction(database, CompactionPlan.ofStage(forest, stage)));
      run.prepare(threads);
    } finally {
      synchronized (monitor) {
        queue.open(database);
      }
      merges.wake();
    }
    merges.finish(run);
  }

  /** Waits until no compaction of the database has begun, the largest first. */
  private void endBegun(DatabaseHandle database) {
    for (DueCompaction largest = closeToLarge(database);
        largest != null;
        largest = closeToLarge(database)) {
      DueCompaction awaited = largest;
      CompactionRun remainder = beginRemainder(awaited);
      if (remainder != null) {
        remainder.prepare(threads);
        merges.finish(remainder);
      } else {
        monitor.await(() -> !queue.isActive(awaited));
      }
    }
  }

  private @Nullable DueCompaction closeToLarge(DatabaseHandle database) {
    synchronized (monitor) {
      DueCompaction largest = queue.largestBegun(database);
      queue.closeFrom(database, largest == null ? 0 : largest.plan().inputBytes());
      return largest;
    }
  }

  /** Takes a compaction that has begun, unless it is at work. */
  private @Nullable CompactionRun beginRemainder(DueCompaction begun) {
    synchronized (monitor) {
      return queue.isActive(begun) ? null : merges.begin(begun, true);
    }
  }

  private CompactionRun begin(DueCompaction due) {
    synchronized (monitor) {
      return merges.begin(due, true);
    }
  }
}
