package io.sifr.bench.measure;

import org.HdrHistogram.Histogram;

/**
 * A distribution of latencies, in microseconds.
 *
 * @param meanMicros arithmetic mean
 * @param p50Micros median
 * @param p90Micros 90 of 100 were no slower
 * @param p95Micros 95 of 100 were no slower
 * @param p99Micros 99 of 100 were no slower
 * @param p999Micros 999 of 1,000 were no slower
 * @param p9999Micros 9,999 of 10,000 were no slower
 * @param maxMicros the slowest
 */
public record Latencies(
    double meanMicros,
    double p50Micros,
    double p90Micros,
    double p95Micros,
    double p99Micros,
    double p999Micros,
    double p9999Micros,
    double maxMicros) {
  private static final double NANOS_PER_MICRO = 1000;

  /** Of latencies recorded in nanoseconds. */
  public static Latencies of(Histogram nanos) {
    return new Latencies(
        nanos.getMean() / NANOS_PER_MICRO,
        percentile(nanos, 50),
        percentile(nanos, 90),
        percentile(nanos, 95),
        percentile(nanos, 99),
        percentile(nanos, 99.9),
        percentile(nanos, 99.99),
        nanos.getMaxValue() / NANOS_PER_MICRO);
  }

  private static double percentile(Histogram nanos, double percentile) {
    return nanos.getValueAtPercentile(percentile) / NANOS_PER_MICRO;
  }

  /** A histogram for nanoseconds, exact to three digits; it grows as it must. */
  public static Histogram histogram() {
    return new Histogram(3);
  }
}
