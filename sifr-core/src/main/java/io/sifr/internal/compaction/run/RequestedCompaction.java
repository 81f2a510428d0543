package io.sifr.internal.compaction.run;

import io.sifr.error.StoreFullException;
import io.sifr.internal.background.WorkMonitor;
import io.sifr.internal.background.WorkParts;
import io.sifr.internal.compaction.pick.Picture;
import io.sifr.internal.compaction.pick.TombstoneSlices;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.util.Bytes;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Compactions that a caller requests, on its thread. Other compactions of the database are held
 * back only until one of these has begun, those of low stages hardly at all, since without
 * compactions a forest grows with every flush.
 */
public final class RequestedCompaction {
  private final WorkMonitor monitor;
  private final WriteOrder order;
  private final int threads;
  private final CompactionQueue queue;
  private final CompactionSchedule compactions;

  public RequestedCompaction(
      WorkParts parts, CompactionQueue queue, CompactionSchedule compactions) {
    this.monitor = parts.monitor();
    this.order = parts.state().writes();
    this.threads = parts.threads().compactions().most();
    this.queue = queue;
    this.compactions = compactions;
  }

  /**
   * Compacts all trees of a database into one, and waits for it. They become trees of the highest
   * stage when it begins, so it is one compaction that blocks no other.
   */
  public void ofAll(DatabaseHandle database) {
    withSpace(
        database,
        KeySpan.ALL,
        most -> {
          var unused = run(database, Picture.Request.ALL, most);
        });
  }

  /**
   * If the disk is full, log is deleted; then one thread alone tries, since each thread has an SST
   * under way, for as long as that makes what is left smaller: compactions that others have begun
   * may take the space for a while.
   *
   * @param compaction compacts what the database holds in the key range, with at most so many
   *     threads
   */
  private void withSpace(DatabaseHandle database, KeySpan span, IntConsumer compaction) {
    int most = compactions.isSpaceTight() ? 1 : threads;
    long before = Long.MAX_VALUE;
    while (true) {
      try {
        compaction.accept(most);
        return;
      } catch (StoreFullException e) {
        long left = bytesIn(forest(database), span);
        if (!compactions.makeSpace(left)) {
          if (most == 1 && left >= before) {
            throw e;
          }
          most = 1;
          before = left;
        }
      }
    }
  }

  /**
   * Compacts what all trees of a database hold in a key range into the oldest of them, stage by
   * stage, and waits for it. So trees stay in their stages, and none but two of these are busy at a
   * time.
   */
  public void of(DatabaseHandle database, KeySpan span) {
    withSpace(database, span, most -> of(database, span, most));
  }

  private void of(DatabaseHandle database, KeySpan span, int most) {
    int stage = 1;
    while (true) {
      CompactionPlan plan = run(database, new Picture.Request(span, stage), most);
      if (plan == null || plan.older().stream().noneMatch(tree -> tree.holdsIn(span))) {
        return;
      }
      stage = plan.targetStage();
    }
  }

  /**
   * Compacts what all trees hold where SSTs have range tombstones, those that have most of them
   * first, and waits for it: what is left of them is needed by snapshots. Ends for sure, since
   * those that are there now only become fewer.
   *
   * @param mostBytes ends when the range tombstones take no more memory than that
   */
  public void ofTombstones(DatabaseHandle database, long mostBytes) {
    long newest = order.visible();
    Set<TombstoneSlices.Slice> merged = new HashSet<>();
    while (database.tombstones().bytes() > mostBytes) {
      long[] snapshots = order.snapshots().sequences();
      long droppable = snapshots.length == 0 ? newest : Math.min(newest, snapshots[0]);
      SstSlice largest = TombstoneSlices.largest(forest(database), droppable, merged);
      if (largest == null) {
        return;
      }
      merged.add(TombstoneSlices.Slice.of(largest));
      of(database, KeySpan.between(largest.smallestKey(), Bytes.successor(largest.largestKey())));
    }
  }

  private static Forest forest(DatabaseHandle database) {
    return database.view().get().forest();
  }

  private static long bytesIn(Forest forest, KeySpan span) {
    return forest.byPriority().stream().mapToLong(tree -> tree.within(span).bytes()).sum();
  }

  /**
   * Runs what the policy proposes when no compaction has begun that uses the key range, if it does.
   */
  private @Nullable CompactionPlan run(DatabaseHandle database, Picture.Request request, int most) {
    monitor.await(() -> queue.close(database));
    CompactionRun run;
    try {
      endBegun(database, request.span(), most);
      CompactionRun.Due next = queue.requested(database, request);
      if (next == null) {
        return null;
      }
      run = begin(next);
      run.prepare(most);
    } finally {
      synchronized (monitor) {
        queue.open(database);
      }
      compactions.wake();
    }
    try {
      compactions.finish(run);
    } catch (OutdatedPlanException e) {
      return run(database, request, most);
    }
    return run.plan();
  }

  /**
   * Ends all compactions of keys of a key range that have begun, the largest first. Others may
   * begin meanwhile: any during the first wait, which may be for one of all trees, and from then on
   * only those that are smaller than the one that is waited for, so that this terminates.
   */
  private void endBegun(DatabaseHandle database, KeySpan span, int most) {
    boolean isFirst = true;
    while (endLargest(database, span, isFirst, most)) {
      isFirst = false;
    }
  }

  /** Returns whether there was any. */
  private boolean endLargest(DatabaseHandle database, KeySpan span, boolean mayGrow, int most) {
    CompactionRun.Due largest;
    CompactionRun remainder;
    // In one step: a moment later it may have ended, and its trees be gone.
    synchronized (monitor) {
      largest = queue.largestBegun(database, span);
      if (largest == null) {
        queue.closeFrom(database, 0);
        return false;
      }
      if (!mayGrow) {
        queue.closeFrom(database, largest.inputBytes());
      }
      remainder = queue.isActive(largest) ? null : compactions.begin(largest.requested());
    }
    if (remainder == null) {
      monitor.await(() -> !queue.isActive(largest));
    } else {
      remainder.prepare(most);
      compactions.finish(remainder);
    }
    return true;
  }

  private CompactionRun begin(CompactionRun.Due due) {
    synchronized (monitor) {
      return compactions.begin(due);
    }
  }
}
