package io.sifr.internal.background;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.state.Lifecycle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When merges run, and on which thread: the most urgent first. Threads that have no merge of their
 * own take parts of one that runs; a thread at work at a merge does a much smaller one in between
 * when that becomes due and no other thread is free, so that a merge that takes minutes does not
 * keep up those that writers wait for.
 *
 * <p>A merge that failed is tried again while others go on; a full disk stops all of them. A
 * damaged or unreadable input stops the merges of its trees and nothing else.
 */
final class CompactionSchedule {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionSchedule.class);
  private static final long UNREADABLE_PAUSE_MILLIS = TimeUnit.MINUTES.toMillis(10);
  private static final String MERGE = "merge";

  /** A compaction yields to one of at most one so-many-th of its bytes. */
  private static final int SMALLER = 2;

  private final WorkMonitor monitor;
  private final BackgroundThreads threads;
  private final CompactionWork work;
  private final Retries retries;

  // All below guarded by the monitor.

  private final CompactionQueue queue;

  /** Threads that merge. */
  private int mergers;

  private volatile boolean paused;

  /**
   * Of merges that a full disk stops, all of them. A flush it stops does not: merges free space.
   */
  private final Attempts onFullDisk = new Attempts();

  /** Bytes of the smallest that is due and has no thread; written when it is guarded. */
  private volatile long urgentBytes = Long.MAX_VALUE;

  CompactionSchedule(WorkParts parts, CompactionQueue queue, CompactionWork work, Retries retries) {
    this.monitor = parts.monitor();
    this.threads = parts.threads();
    this.queue = queue;
    this.work = work;
    this.retries = retries;
  }

  /** Looks for trees to merge. */
  void wake() {
    synchronized (monitor) {
      start();
      monitor.changed();
    }
  }

  // Guarded by the monitor.
  private void start() {
    while (canMerge() && mergers < threads.mergers()) {
      DueCompaction due = queue.next(Long.MAX_VALUE);
      CompactionRun waiting = due == null ? queue.withWaitingPart() : null;
      if (due != null) {
        CompactionRun run = begin(due, false);
        mergers++;
        threads.merge(() -> onOwnThread(() -> first(run, threads.mergers())));
      } else if (waiting != null) {
        waiting.join();
        mergers++;
        threads.merge(() -> onOwnThread(() -> work(waiting)));
      } else {
        break;
      }
    }
    boolean isWaiting = canMerge() && mergers == threads.mergers();
    urgentBytes = isWaiting ? queue.smallestDue() : Long.MAX_VALUE;
  }

  // Guarded by the monitor.
  private boolean canMerge() {
    return !paused && !onFullDisk.isPausing() && monitor.goesOn();
  }

  /**
   * Takes a merge; while the monitor is held.
   *
   * @param awaited whether somebody waits for its end, who is going to {@link #finish} it
   */
  CompactionRun begin(DueCompaction due, boolean awaited) {
    if (awaited && monitor.isStopped()) {
      throw Lifecycle.closedException();
    }
    CompactionRun run = new CompactionRun(work, due, awaited);
    queue.began(run);
    return run;
  }

  private void onOwnThread(Runnable merging) {
    try {
      merging.run();
    } finally {
      synchronized (monitor) {
        mergers--;
      }
      wake();
    }
  }

  /** Prepares a run, has others join in, and works at it. */
  private void first(CompactionRun run, int helpers) {
    run.prepare(helpers);
    wake();
    work(run);
  }

  private void work(CompactionRun run) {
    YieldBudget yielding = new YieldBudget(System::nanoTime);
    boolean isOver = run.work(work.environment(run.due(), () -> yieldToUrgent(run, yielding)));
    if (isOver && !run.isAwaited()) {
      end(run);
    }
  }

  private void end(CompactionRun run) {
    try {
      run.end();
      merged(run);
    } catch (StoreFullException e) {
      retries.failed(MERGE, onFullDisk, e, this::wake);
    } catch (CorruptionException e) {
      park(run, e);
    } catch (UnreadableException e) {
      park(run, e);
      retries.later(() -> queue.readable(run), this::wake, UNREADABLE_PAUSE_MILLIS);
    } catch (StoreIoException e) {
      retries.failed(MERGE, attempts(run), e, this::wake);
    } catch (CancellationException e) {
      LOG.debug("merge stopped: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      retries.stopWrites(MERGE, e);
    } finally {
      ended(run);
    }
  }

  private Attempts attempts(CompactionRun run) {
    synchronized (monitor) {
      return queue.attempts(run);
    }
  }

  private void merged(CompactionRun run) {
    int failed;
    synchronized (monitor) {
      onFullDisk.succeeded();
      failed = queue.succeeded(run);
    }
    Retries.succeeded(MERGE, failed);
  }

  /** Begins no more compactions of trees one of which cannot be read. */
  private void park(CompactionRun run, SifrException e) {
    CompactionPlan plan = run.plan();
    LOG.error("trees {} of {} are merged no more", plan.inputs(), run.database(), e);
    synchronized (monitor) {
      queue.damaged(run);
    }
    retries.tell(MERGE, e);
  }

  /** Called by a task of a run about once a millisecond: what is more urgent goes first. */
  private void yieldToUrgent(CompactionRun run, YieldBudget yielding) {
    run.checkGoesOn();
    long small = run.inputBytes() / SMALLER;
    if (urgentBytes <= small && yielding.mayYield()) {
      CompactionRun urgent = beginSmall(small);
      if (urgent != null) {
        yielding.yieldTo(() -> first(urgent, 1));
      }
    }
    if (paused) {
      awaitResumed(run);
    }
  }

  private @Nullable CompactionRun beginSmall(long mostBytes) {
    synchronized (monitor) {
      DueCompaction due = canMerge() ? queue.next(mostBytes) : null;
      CompactionRun run = due == null ? null : begin(due, false);
      start();
      return run;
    }
  }

  private void awaitResumed(CompactionRun run) {
    monitor.awaitInAnyCase(() -> !paused || monitor.isStopped() || run.database().isDropped());
  }

  /**
   * Does a merge that is prepared on this thread, with the help of those that are free, and throws
   * what stops it.
   */
  void finish(CompactionRun run) {
    try {
      wake();
      work(run);
      monitor.awaitInAnyCase(run::isOver);
      run.end();
      merged(run);
    } finally {
      ended(run);
    }
  }

  private void ended(CompactionRun run) {
    synchronized (monitor) {
      queue.ended(run);
      monitor.changed();
    }
  }

  /** Lets merges rest where they are, and begins none, until {@link #resume}. */
  void pause() {
    synchronized (monitor) {
      paused = true;
    }
  }

  /** Lets merges go on. */
  void resume() {
    synchronized (monitor) {
      paused = false;
    }
    wake();
  }

  /**
   * Whether nothing is due and nothing runs, or merges are paused; while the monitor is held.
   *
   * @throws StoreIoException what merges failed with, when it is not worth waiting for
   */
  boolean isIdle() {
    return paused || (mergers == 0 && queue.isIdle() && !isDue());
  }

  private boolean isDue() {
    if (queue.awaitsAttempt()) {
      return true;
    }
    boolean isDue = queue.next(Long.MAX_VALUE) != null;
    if (isDue) {
      onFullDisk.check();
    }
    return isDue;
  }
}
