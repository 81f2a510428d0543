package io.sifr.internal.search;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How long it takes lately to search a block that is not in memory: a moving average over a sample
 * of the reads. Thread-safe; when two threads write at once, one of their measurements is lost,
 * which does no harm.
 */
final class ReadTimes {
  /** Before anything was measured: a read from a disk, so that the first queries find it out. */
  static final long FIRST_GUESS_NANOS = 100_000;

  private static final int SAMPLED_ONE_IN = 8;

  /** A new measurement counts for one in eight, but a pause of the machine not for more than so. */
  private static final int WEIGHT_OF_OLD = 7;

  private static final long LONGEST_NANOS = 10_000_000;

  private volatile long average = FIRST_GUESS_NANOS;

  /** Nanosecond time when this read is to be measured, else 0. */
  static long begin() {
    return ThreadLocalRandom.current().nextInt(SAMPLED_ONE_IN) == 0 ? System.nanoTime() : 0;
  }

  /** A read has ended that began at {@code start}, see {@link #begin}. */
  void end(long start) {
    if (start != 0) {
      took(System.nanoTime() - start);
    }
  }

  void took(long nanos) {
    long bounded = Math.min(Math.max(0, nanos), LONGEST_NANOS);
    average = (WEIGHT_OF_OLD * average + bounded) / (WEIGHT_OF_OLD + 1);
  }

  /** How long a read takes. */
  long nanos() {
    return average;
  }
}
