package io.sifr.internal.compaction.run;

import io.sifr.internal.background.WorkMonitor;
import io.sifr.internal.compaction.merge.TaskEnvironment;
import io.sifr.internal.resources.CompactionThreads.Turn;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The pace of a store's compactions. At a yield point, about once a millisecond, a thread that
 * works on one
 *
 * <ol>
 *   <li>lets a smaller one run in its place,
 *   <li>waits while compactions are paused,
 *   <li>keeps to the limit of the store, and a compaction for reads to the rate of such
 *       compactions,
 *   <li>steps back while compactions make reads slow,
 * </ol>
 *
 * as {@link io.sifr.internal.compaction.pick.Priority} says. Thread-safe.
 */
public final class Pace {
  /** After this a compaction that pauses looks whether others wait for it. */
  private static final long MOST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final WorkMonitor monitor;
  private final CompactionQueue queue;
  private final CompactionWork work;
  private final @Nullable WritePace limit;
  private final @Nullable StepBack stepBack;

  /** Written under the monitor. */
  private volatile boolean paused;

  /**
   * @param limit how fast all compactions write; null for no limit
   * @param stepBack when compactions step back for readers; null for never
   */
  public Pace(
      WorkMonitor monitor,
      CompactionQueue queue,
      CompactionWork work,
      @Nullable WritePace limit,
      @Nullable StepBack stepBack) {
    this.monitor = monitor;
    this.queue = queue;
    this.work = work;
    this.limit = limit;
    this.stepBack = stepBack;
  }

  /** Whether compactions pause, and none begins. */
  boolean isPaused() {
    return paused;
  }

  /** The caller holds the monitor. */
  void setPaused(boolean isPaused) {
    paused = isPaused;
  }

  /**
   * That of a thread which works on a run from now on.
   *
   * @param turn null on a thread that waits for the run
   */
  OfThread of(CompactionRun run, @Nullable Turn turn) {
    return new OfThread(run, turn);
  }

  /** Of one thread, on one run. */
  final class OfThread {
    private final CompactionRun run;
    private final @Nullable Turn turn;
    private final YieldBudget yielding = new YieldBudget(System::nanoTime);
    private final @Nullable WritePace readPace;

    private OfThread(CompactionRun run, @Nullable Turn turn) {
      this.run = run;
      this.turn = turn;
      this.readPace = run.priority().isAtReadRate() ? work.readPace() : null;
    }

    /** Notified by its tasks of how far they are. */
    TaskEnvironment.Progress progress() {
      return new TaskEnvironment.Progress(this::wrote, this::yieldPoint);
    }

    private void wrote(long bytes) {
      if (limit != null) {
        limit.wrote(bytes);
      }
      if (readPace != null) {
        readPace.wrote(bytes);
      }
    }

    /** Throws {@link java.util.concurrent.CancellationException} when the run is to end. */
    private void yieldPoint() {
      run.checkGoesOn();
      yieldToSmaller();
      waitWhilePaused();
      if (limit != null && run.priority().isLimited()) {
        keepTo(limit, () -> isOver(run), work::limited);
      }
      if (readPace != null) {
        keepTo(readPace, this::hurries, nanos -> {});
      }
      if (stepBack != null && run.priority().stepsBack()) {
        stepBack(stepBack.pauseNanos());
      }
    }

    private void yieldToSmaller() {
      long small = run.priority().yieldsToBytes(run.inputBytes());
      Turn own = turn;
      if (own != null && own.isWaiting(small) && yielding.mayYield()) {
        yielding.yieldTo(() -> own.lend(small, monitor::changed, this::await));
        run.checkGoesOn();
      }
    }

    private void waitWhilePaused() {
      if (paused) {
        withoutTurn(() -> await(() -> !paused));
      }
    }

    private void await(BooleanSupplier condition) {
      monitor.awaitInAnyCase(() -> condition.getAsBoolean() || isOver(run));
    }

    /** Waits; meanwhile another thread can compact, of this store or another. */
    private void withoutTurn(Runnable waiting) {
      if (turn == null) {
        waiting.run();
      } else {
        turn.pauseFor(waiting);
      }
    }

    /**
     * Pauses as long as a pace demands.
     *
     * @param ends what ends the pause early; evaluated under the monitor
     * @param paused notified of how long it has paused, in small pieces
     */
    private void keepTo(WritePace pace, BooleanSupplier ends, LongConsumer paused) {
      if (pace.pauseNanos() <= 0) {
        return;
      }
      Runnable pausing =
          () -> {
            boolean isOver = false;
            for (long left = pace.pauseNanos(); left > 0 && !isOver; left = pace.pauseNanos()) {
              long start = System.nanoTime();
              isOver = monitor.pause(Math.min(left, MOST_PAUSE_NANOS), ends);
              paused.accept(System.nanoTime() - start);
            }
          };
      resting(() -> withoutTurn(pausing));
    }

    /** The thread keeps its turn: another compaction would disturb readers, too. */
    private void stepBack(long pauseNanos) {
      if (pauseNanos > 0) {
        long start = System.nanoTime();
        resting(() -> monitor.pause(Math.min(pauseNanos, MOST_PAUSE_NANOS), this::hurries));
        work.steppedBack(System.nanoTime() - start);
      }
    }

    /**
     * Whether others wait for the end of the run: writers, or who closes it. Guarded by the
     * monitor.
     */
    private boolean hurries() {
      return isOver(run) || queue.isClosed(run.database()) || work.isBehind(run.database());
    }

    /** Waits; what is read meanwhile is not disturbed by this thread. */
    private void resting(Runnable waiting) {
      work.readDurations().workEnds();
      try {
        waiting.run();
      } finally {
        work.readDurations().workBegins();
      }
    }
  }

  private boolean isOver(CompactionRun run) {
    return monitor.isStopped() || run.database().isDropped() || run.hasFailed();
  }
}
