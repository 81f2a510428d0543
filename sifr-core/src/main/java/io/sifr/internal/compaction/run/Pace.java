package io.sifr.internal.compaction.run;

import io.sifr.internal.background.WorkMonitor;
import io.sifr.internal.background.WorkParts;
import io.sifr.internal.compaction.merge.TaskEnvironment;
import io.sifr.internal.resources.CompactionThreads.Turn;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.Counters.Reading.Total;
import io.sifr.internal.util.OwedTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
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

  private final WorkParts store;
  private final WorkMonitor monitor;
  private final CompactionQueue queue;
  private final @Nullable OfWrites limit;
  private final @Nullable StepBack stepBack;

  /** Written under the monitor. */
  private volatile boolean paused;

  public Pace(WorkParts store, CompactionQueue queue) {
    this.store = store;
    this.monitor = store.monitor();
    this.queue = queue;
    long bytesPerSecond = store.setup().options().compactionBytesPerSecond();
    this.limit = bytesPerSecond == 0 ? null : ofWrites(bytesPerSecond);
    this.stepBack =
        store.setup().tuning().stepsBack() ? new StepBack(reads(), System::nanoTime) : null;
  }

  private static OfWrites ofWrites(long bytesPerSecond) {
    return new OfWrites(bytesPerSecond, System::nanoTime);
  }

  private Counters.Reading reads() {
    return store.state().counters().reads;
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
    private final @Nullable OfWrites readPace;

    private OfThread(CompactionRun run, @Nullable Turn turn) {
      this.run = run;
      this.turn = turn;
      this.readPace =
          run.priority().isAtReadRate()
              ? ofWrites(store.setup().options().readCompactionBytesPerSecond())
              : null;
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
        keepTo(limit, () -> isOver(run), store.state().counters().limitNanos::add);
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
    private void keepTo(OfWrites pace, BooleanSupplier ends, LongConsumer paused) {
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
        store.state().counters().stepBackNanos.add(System.nanoTime() - start);
      }
    }

    /**
     * Whether others wait for the end of the run: writers, or who closes it. Guarded by the
     * monitor.
     */
    private boolean hurries() {
      return isOver(run)
          || queue.isClosed(run.database())
          || run.database().debt(store.setup().extensions().policy()) > 0;
    }

    /** Waits; what is read meanwhile is not disturbed by this thread. */
    private void resting(Runnable waiting) {
      reads().workEnds();
      try {
        waiting.run();
      } finally {
        reads().workBegins();
      }
    }
  }

  private boolean isOver(CompactionRun run) {
    return monitor.isStopped() || run.database().isDropped() || run.hasFailed();
  }

  /**
   * Pauses the compactions of a store while they make its reads slow (TPDS §6 suspends them for
   * requests). All of them work for {@value #WORK_MILLIS} ms and then pause, so that of the time
   * they work only a share. It is halved whenever reads took, on average, more than {@value
   * #SLOWER} times as long as in the quiet, and grows again when they did not, or when nobody
   * reads.
   *
   * <p>How long reads take in the quiet is measured while nothing is flushed or compacted, also in
   * these pauses. So it follows what is read, and how: if reads are as slow while compactions
   * pause, compactions are not the reason and work on. In a store that always compacts there are
   * short pauses to measure it.
   *
   * <p>Thread-safe.
   */
  static final class StepBack {
    /** Compactions work so long between two pauses. */
    private static final int WORK_MILLIS = 10;

    /** The average read may take so many times as long as in the quiet. */
    private static final int SLOWER = 2;

    /** The smallest share of the time for which compactions work. */
    private static final double SMALLEST_SHARE = 1 / 16.0;

    private static final double GROWTH = 1.25;

    /** A mean of fewer reads says nothing. */
    private static final int FEWEST_READS = 16;

    private static final long WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(WORK_MILLIS);

    /** Without so many reads for so long nobody reads. */
    private static final long NOBODY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** After this it is measured again how long reads take in the quiet. */
    private static final long OUTDATED_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long MEASURING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long BETWEEN_MEASURING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The durations of reads of a kind, as far as known. */
    private static final class Known {
      private final Counters.Reading.Reads reads;
      private Total judged = Total.NONE;
      private Total measured = Total.NONE;

      /** The duration of one without background load, in nanoseconds; 0 if that is not known. */
      private double quiet;

      private long quietAt;

      Known(Counters.Reading.Reads reads) {
        this.reads = reads;
      }
    }

    private enum Judgement {
      TOO_FEW_READS,
      FAST,
      SLOW
    }

    private final LongSupplier nanoTime;

    // All below guarded by this.

    private final List<Known> known;
    private double share = 1;
    private long workUntil;
    private long pauseUntil;
    private long lastJudged;
    private long lastMeasured;
    private boolean isQuietUnknown;

    public StepBack(Counters.Reading times, LongSupplier nanoTime) {
      this.nanoTime = nanoTime;
      this.workUntil = nanoTime.getAsLong();
      this.pauseUntil = workUntil;
      this.lastJudged = workUntil;
      this.lastMeasured = workUntil - BETWEEN_MEASURING_NANOS;
      this.known = List.of(new Known(times.gets()), new Known(times.seeks()));
    }

    /** How long a compaction is to pause now, in nanoseconds; 0 or less if it may go on. */
    synchronized long pauseNanos() {
      long now = nanoTime.getAsLong();
      if (now - workUntil >= 0) {
        long pause = nextPause(now);
        pauseUntil = now + pause;
        workUntil = pauseUntil + WORK_NANOS;
      }
      return pauseUntil - now;
    }

    private long nextPause(long now) {
      switch (judge(now)) {
        case SLOW -> share = Math.max(share / 2, SMALLEST_SHARE);
        case FAST -> share = Math.min(share * GROWTH, 1);
        case TOO_FEW_READS -> {
          if (now - lastJudged >= NOBODY_NANOS) {
            share = Math.min(share * 2, 1);
            lastJudged = now;
          }
        }
      }
      if (share < 1) {
        return (long) (WORK_NANOS * (1 / share - 1));
      }
      boolean measures = isQuietUnknown && now - lastMeasured >= BETWEEN_MEASURING_NANOS;
      if (measures) {
        lastMeasured = now;
      }
      return measures ? MEASURING_NANOS : 0;
    }

    private Judgement judge(long now) {
      Judgement judgement = Judgement.TOO_FEW_READS;
      for (Known kind : known) {
        measure(kind, now);
        Total all = kind.reads.all();
        Total since = all.since(kind.judged);
        if (since.count() >= FEWEST_READS) {
          kind.judged = all;
          if (judgement == Judgement.TOO_FEW_READS) {
            judgement = Judgement.FAST;
            isQuietUnknown = false;
          }
          if (kind.quiet > 0 && since.mean() > SLOWER * kind.quiet) {
            judgement = Judgement.SLOW;
          }
          isQuietUnknown |= kind.quiet == 0 || now - kind.quietAt >= OUTDATED_NANOS;
          lastJudged = now;
        }
      }
      return judgement;
    }

    private static void measure(Known kind, long now) {
      Total quiet = kind.reads.quiet();
      Total since = quiet.since(kind.measured);
      if (since.count() >= FEWEST_READS) {
        kind.measured = quiet;
        kind.quiet = kind.quiet == 0 ? since.mean() : (kind.quiet + since.mean()) / 2;
        kind.quietAt = now;
      }
    }
  }

  /**
   * Spreads over time what is written, by one compaction or by many. What could have been written
   * while there was nothing to write is not caught up on. Thread-safe.
   */
  static final class OfWrites {
    private final double nanosPerByte;

    /** The time that the bytes written take at this pace. */
    private final OwedTime owed;

    public OfWrites(long bytesPerSecond, LongSupplier nanoTime) {
      this.nanosPerByte = (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
      this.owed = new OwedTime(nanoTime);
    }

    /** So many bytes were written. */
    void wrote(long bytes) {
      owed.add(bytes * nanosPerByte);
    }

    /** How long nothing more is to be written, in nanoseconds; 0 or less if it may go on. */
    long pauseNanos() {
      return owed.leftNanos();
    }
  }

  /**
   * Limits the time for which a compaction yields to others to half of its own: where smaller ones
   * are due all the time, it would otherwise never end, and never free its inputs. Used by one
   * thread.
   */
  static final class YieldBudget {
    private final LongSupplier nanoTime;
    private long allowedFrom;

    YieldBudget(LongSupplier nanoTime) {
      this.nanoTime = nanoTime;
      this.allowedFrom = nanoTime.getAsLong();
    }

    /** Whether the compaction may yield now. */
    boolean mayYield() {
      return nanoTime.getAsLong() - allowedFrom >= 0;
    }

    /** Runs other work; the compaction may not yield again until it has run for as long. */
    void yieldTo(Runnable other) {
      long start = nanoTime.getAsLong();
      other.run();
      long end = nanoTime.getAsLong();
      allowedFrom = end + (end - start);
    }
  }
}
