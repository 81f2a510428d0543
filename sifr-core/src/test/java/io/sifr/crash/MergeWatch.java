package io.sifr.crash;

import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.engine.StoreCrashPoint;
import io.sifr.testing.CrashDisk.Call;
import io.sifr.testing.CrashDisk.Moment;
import java.util.HashMap;
import java.util.Map;

/**
 * Knows from the points that a store passes which of its calls belong to a merge, and how far that
 * is. For one life of a store; asked on the thread that makes the call, under the disk's monitor.
 */
final class MergeWatch {
  /** Commits of merges, by the thread that is at work at them. */
  private final Map<Thread, Integer> commits = new HashMap<>();

  private int running;
  private boolean resumed;
  private boolean suspended;
  private boolean open;

  /** Is told of all moments of all calls, before it is asked about them. */
  void see(Call call, Moment moment) {
    if (moment != Moment.BEFORE) {
      return;
    }
    Thread thread = Thread.currentThread();
    if (Aim.passes(call, StoreCrashPoint.RECOVERY_LOG_DELETED)) {
      open = true;
    } else if (Aim.passes(call, BackgroundCrashPoint.COMPACTION_CHOSEN)
        || Aim.passes(call, BackgroundCrashPoint.COMPACTION_RESUMED)) {
      running++;
      commits.put(thread, 0);
      resumed |= Aim.passes(call, BackgroundCrashPoint.COMPACTION_RESUMED);
    } else if (Aim.passes(call, BackgroundCrashPoint.COMPACTION_PROGRESS_DURABLE)) {
      commits.merge(thread, 1, Integer::sum);
    } else if (Aim.passes(call, BackgroundCrashPoint.COMPACTION_ENDED)
        || Aim.passes(call, BackgroundCrashPoint.COMPACTION_SUSPENDED)) {
      running--;
      suspended |= Aim.passes(call, BackgroundCrashPoint.COMPACTION_SUSPENDED);
      commits.remove(thread);
    }
  }

  /** Whether the thread is at work at a merge. */
  boolean isMerging() {
    Thread thread = Thread.currentThread();
    return commits.containsKey(thread) || thread.getName().startsWith("sifr-compaction");
  }

  /** How many edits of the merge that it is at work at the thread has made durable. */
  int commits() {
    return commits.getOrDefault(Thread.currentThread(), 0);
  }

  /** Whether any merge is under way. */
  boolean isAnyRunning() {
    return running > 0;
  }

  /** Whether a merge has gone on that was begun in an earlier life. */
  boolean hasResumed() {
    return resumed;
  }

  /** Whether a merge was stopped before its end, by the closing of the store for example. */
  boolean hasSuspended() {
    return suspended;
  }

  /** Whether the store is open, not being opened. */
  boolean isOpen() {
    return open;
  }
}
