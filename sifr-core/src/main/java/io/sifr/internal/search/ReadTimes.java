package io.sifr.internal.search;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The recent duration of searching a block that is not in memory: a moving average over a sample of
 * the reads. Thread-safe; when two threads write at once, one of their measurements is lost, which
 * is harmless.
 */
final class ReadTimes {
  /** Initial value: a read from a disk, so that the first queries hand reads over and measure. */
  static final long FIRST_GUESS_NANOS = 100_000;

  private static final int SAMPLED_ONE_IN = 8;

  private static final int WEIGHT_OF_OLD = 7;

  /**
   * Limit of a measurement, which has a weight of one in eight: a pause of the machine counts no
   * more.
   */
  private static final long LONGEST_NANOS = 10_000_000;

  private volatile long average = FIRST_GUESS_NANOS;

  /** Start time in nanoseconds if this read is to be measured, else 0. */
  static long begin() {
    return ThreadLocalRandom.current().nextInt(SAMPLED_ONE_IN) == 0 ? System.nanoTime() : 0;
  }

  /** Ends a read that began at {@code start}, see {@link #begin}. */
  void end(long start) {
    if (start != 0) {
      took(System.nanoTime() - start);
    }
  }

  void took(long nanos) {
    long bounded = Math.min(Math.max(0, nanos), LONGEST_NANOS);
    average = (WEIGHT_OF_OLD * average + bounded) / (WEIGHT_OF_OLD + 1);
  }

  /** The average duration of a read. */
  long nanos() {
    return average;
  }
}
