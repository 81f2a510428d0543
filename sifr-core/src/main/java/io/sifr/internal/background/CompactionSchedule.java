package io.sifr.internal.background;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.state.Lifecycle;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When compactions run, and on which thread: the most urgent first. Threads without a compaction of
 * their own take parts of a running one. A thread yields to a much smaller compaction that becomes
 * due when no other thread is free, so that a compaction that takes minutes does not delay those
 * that writers wait for.
 *
 * <p>A compaction that failed is retried while others go on; a full disk stops all of them. A
 * damaged or unreadable input stops only the compactions of its trees.
 */
final class CompactionSchedule {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionSchedule.class);
  private static final long UNREADABLE_PAUSE_MILLIS = TimeUnit.MINUTES.toMillis(10);
  private static final String COMPACTION = "compaction";

  /** A compaction yields to one of at most its bytes divided by this. */
  private static final int SMALLER = 2;

  private final WorkMonitor monitor;
  private final BackgroundThreads threads;
  private final CompactionWork work;
  private final Retries retries;

  // All below guarded by the monitor.

  private final CompactionQueue queue;

  /** Number of threads that compact. */
  private int compactors;

  private volatile boolean paused;

  /**
   * Failures because of a full disk, which pause all compactions. A flush that failed so does not
   * pause them: they free space.
   */
  private final Attempts onFullDisk = new Attempts();

  /**
   * Bytes of the smallest that is due and has no thread; written under the monitor, read without.
   */
  private volatile long urgentBytes = Long.MAX_VALUE;

  CompactionSchedule(WorkParts parts, CompactionQueue queue, CompactionWork work, Retries retries) {
    this.monitor = parts.monitor();
    this.threads = parts.threads();
    this.queue = queue;
    this.work = work;
    this.retries = retries;
  }

  /** Begins what is due. */
  void wake() {
    synchronized (monitor) {
      start(due());
      monitor.changed();
    }
  }

  // Guarded by the monitor.
  private boolean canCompact() {
    return !paused && !onFullDisk.isPausing() && monitor.goesOn();
  }

  /** What may begin now. Guarded by the monitor. */
  private List<DueCompaction> due() {
    return canCompact() ? queue.due() : List.of();
  }

  /**
   * Gives idle threads something to do. Guarded by the monitor.
   *
   * @param due what may begin
   */
  private void start(List<DueCompaction> due) {
    List<DueCompaction> left = due;
    while (canCompact() && compactors < threads.compactors()) {
      DueCompaction next = CompactionQueue.mostUrgent(left).orElse(null);
      CompactionRun waiting = next == null ? queue.withWaitingPart() : null;
      if (next != null) {
        CompactionRun run = begin(next, false);
        left = queue.withoutActive(left);
        compactors++;
        threads.compact(() -> onOwnThread(() -> first(run, threads.compactors())));
      } else if (waiting != null) {
        waiting.join();
        compactors++;
        threads.compact(() -> onOwnThread(() -> work(waiting)));
      } else {
        break;
      }
    }
    urgentBytes = left.stream().mapToLong(DueCompaction::inputBytes).min().orElse(Long.MAX_VALUE);
  }

  /**
   * Registers a run of a compaction. The caller holds the monitor.
   *
   * @param awaited whether a thread waits for its end and is going to call {@link #finish}
   */
  CompactionRun begin(DueCompaction due, boolean awaited) {
    if (awaited && monitor.isStopped()) {
      throw Lifecycle.closedException();
    }
    CompactionRun run = new CompactionRun(work, due, awaited);
    queue.began(run);
    return run;
  }

  private void onOwnThread(Runnable task) {
    try {
      task.run();
    } finally {
      synchronized (monitor) {
        compactors--;
      }
      wake();
    }
  }

  /** Prepares a run, wakes threads to join it, and works on it. */
  private void first(CompactionRun run, int helpers) {
    run.prepare(helpers);
    if (run.hasWaitingPart()) {
      wake();
    }
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
      succeeded(run);
    } catch (StoreFullException e) {
      retries.failed(COMPACTION, onFullDisk, e, this::wake);
    } catch (CorruptionException e) {
      park(run, e);
    } catch (UnreadableException e) {
      park(run, e);
      retries.later(() -> queue.readable(run), this::wake, UNREADABLE_PAUSE_MILLIS);
    } catch (StoreIoException e) {
      retries.failed(COMPACTION, attempts(run), e, this::wake);
    } catch (CancellationException e) {
      LOG.debug("compaction stopped: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      retries.stopWrites(COMPACTION, e);
    } finally {
      ended(run);
    }
  }

  private Attempts attempts(CompactionRun run) {
    synchronized (monitor) {
      return queue.attempts(run);
    }
  }

  private void succeeded(CompactionRun run) {
    int failed;
    synchronized (monitor) {
      onFullDisk.succeeded();
      failed = queue.succeeded(run);
    }
    Retries.succeeded(COMPACTION, failed);
  }

  /** Stops compactions of trees one of which cannot be read. */
  private void park(CompactionRun run, SifrException e) {
    CompactionPlan plan = run.plan();
    LOG.error("trees {} of {} are no longer compacted", plan.inputs(), run.database(), e);
    synchronized (monitor) {
      queue.damaged(run);
    }
    retries.tell(COMPACTION, e);
  }

  /**
   * The yield point of a run, called about once a millisecond: a more urgent compaction goes first.
   */
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
      List<DueCompaction> due = due();
      List<DueCompaction> small =
          due.stream().filter(next -> next.inputBytes() <= mostBytes).toList();
      CompactionRun run =
          CompactionQueue.mostUrgent(small).map(next -> begin(next, false)).orElse(null);
      start(queue.withoutActive(due));
      return run;
    }
  }

  private void awaitResumed(CompactionRun run) {
    monitor.awaitInAnyCase(() -> !paused || monitor.isStopped() || run.database().isDropped());
  }

  /**
   * Runs a prepared compaction on this thread, helped by those that are free, and throws what stops
   * it.
   */
  void finish(CompactionRun run) {
    try {
      wake();
      work(run);
      monitor.awaitInAnyCase(run::isOver);
      run.end();
      succeeded(run);
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

  /** Pauses running compactions, and begins none, until {@link #resume}. */
  void pause() {
    synchronized (monitor) {
      paused = true;
    }
  }

  /** Resumes compactions. */
  void resume() {
    synchronized (monitor) {
      paused = false;
    }
    wake();
  }

  /**
   * Whether nothing is due and nothing runs, or compactions are paused. The caller holds the
   * monitor.
   *
   * @throws StoreIoException the failure of a compaction, if it should be reported to waiting
   *     threads
   */
  boolean isIdle() {
    return paused || (compactors == 0 && queue.isIdle() && !isDue());
  }

  private boolean isDue() {
    if (queue.awaitsAttempt()) {
      return true;
    }
    boolean isDue = !queue.due().isEmpty();
    if (isDue) {
      onFullDisk.check();
    }
    return isDue;
  }
}
