package io.sifr.internal.compaction.run;

import io.sifr.internal.state.ReadDurations;
import io.sifr.internal.state.ReadDurations.Total;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * When the merges of a store pause because they make its reads slow (TPDS §6 suspends them for
 * requests). All its merges work for {@value #WORK_MILLIS} ms and then pause, so that of the time
 * they work only a share. It is halved whenever reads took, on average, more than {@value #SLOWER}
 * times as long as in the quiet, and grows again when they did not, or when nobody reads.
 *
 * <p>How long reads take in the quiet is measured while nothing is flushed or merged, also in these
 * pauses. So it follows what is read, and how: if reads are as slow while merges pause, merges are
 * not the reason and work on. In a store that always merges there are short pauses to measure it.
 *
 * <p>Thread-safe.
 */
public final class StepBack {
  /** Merges work so long between two pauses. */
  private static final int WORK_MILLIS = 10;

  /** The average read may take so many times as long as in the quiet. */
  private static final int SLOWER = 2;

  /** The smallest share of the time for which merges work. */
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

  /** What is known of reads of a kind. */
  private static final class Known {
    private final ReadDurations.Reads reads;
    private Total judged = Total.NONE;
    private Total measured = Total.NONE;

    /** How long one takes in the quiet, in nanoseconds; 0 if that is not known. */
    private double quiet;

    private long quietAt;

    Known(ReadDurations.Reads reads) {
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

  public StepBack(ReadDurations times, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.workUntil = nanoTime.getAsLong();
    this.pauseUntil = workUntil;
    this.lastJudged = workUntil;
    this.lastMeasured = workUntil - BETWEEN_MEASURING_NANOS;
    this.known = List.of(new Known(times.gets()), new Known(times.seeks()));
  }

  /** How long a merge is to pause now, in nanoseconds; 0 or less if it may go on. */
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
