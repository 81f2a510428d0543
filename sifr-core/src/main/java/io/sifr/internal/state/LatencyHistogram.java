package io.sifr.internal.state;

import io.sifr.event.LatencySummary;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * A histogram of call durations, in buckets whose width grows with the duration: 64 for each power
 * of two, so that every value is within 1 % of the middle of its bucket. Mean and maximum are
 * exact.
 *
 * <p>Only some calls are measured, {@link LatencySummary#SAMPLED_ONE_IN one in so many}.
 * Thread-safe; a call added while a summary is made may or may not be in it.
 */
public final class LatencyHistogram {
  private static final int BUCKET_BITS = 6;

  /** Longer calls, 18 minutes, are counted as this long. */
  private static final long LARGEST = (1L << 40) - 1;

  private final AtomicLongArray counts = new AtomicLongArray(bucket(LARGEST) + 1);
  private final LongAdder sum = new LongAdder();
  private final LongAccumulator max = new LongAccumulator(Math::max, 0);

  /** A histogram of no calls. */
  public LatencyHistogram() {}

  /** Nanosecond time if the call that begins is to be measured, else 0. */
  public static long begin() {
    return ThreadLocalRandom.current().nextInt(LatencySummary.SAMPLED_ONE_IN) == 0
        ? System.nanoTime()
        : 0;
  }

  /** Counts a call that has ended, if it is measured, see {@link #begin}. */
  public void end(long start) {
    if (start != 0) {
      add(System.nanoTime() - start);
    }
  }

  /** Counts a call. */
  void add(long nanos) {
    counts.incrementAndGet(bucket(Math.min(nanos, LARGEST)));
    sum.add(nanos);
    max.accumulate(nanos);
  }

  /** What was counted. */
  public LatencySummary summary() {
    long[] copy = new long[counts.length()];
    long samples = 0;
    for (int i = 0; i < copy.length; i++) {
      copy[i] = counts.get(i);
      samples += copy[i];
    }
    return new LatencySummary(
        samples,
        samples == 0 ? 0 : sum.sum() / 1e3 / samples,
        percentile(copy, samples, 0.5) / 1e3,
        percentile(copy, samples, 0.99) / 1e3,
        percentile(copy, samples, 0.999) / 1e3,
        max.get() / 1e3);
  }

  /** The smallest value that this share of the calls did not exceed. */
  private double percentile(long[] copy, long samples, double share) {
    long wanted = (long) Math.ceil(share * samples);
    long seen = 0;
    for (int i = 0; i < copy.length && seen < wanted; i++) {
      seen += copy[i];
      if (seen >= wanted) {
        return Math.min(middle(i), (double) max.get());
      }
    }
    return 0;
  }

  /** Below 128 each value has a bucket of its own. */
  private static int bucket(long nanos) {
    int shift = shift(nanos);
    return (shift << BUCKET_BITS) + (int) (nanos >>> shift);
  }

  private static int shift(long nanos) {
    return Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(nanos) - BUCKET_BITS - 1);
  }

  private static double middle(int bucket) {
    int shift = Math.max(0, (bucket >> BUCKET_BITS) - 1);
    long first = (long) (bucket - (shift << BUCKET_BITS)) << shift;
    return first + ((1L << shift) - 1) / 2.0;
  }
}
