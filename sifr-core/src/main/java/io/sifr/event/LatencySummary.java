package io.sifr.event;

/**
 * Latencies of one kind of call since the store was opened. One call in {@value #SAMPLED_ONE_IN} is
 * measured, so that measuring does not cost what it measures. Percentiles are within 1 %.
 *
 * @param samples calls that were measured
 * @param meanMicros mean, in microseconds
 * @param p50Micros median
 * @param p99Micros 99th percentile
 * @param p999Micros 99.9th percentile
 * @param maxMicros longest measured call
 */
public record LatencySummary(
    long samples,
    double meanMicros,
    double p50Micros,
    double p99Micros,
    double p999Micros,
    double maxMicros) {
  /** One call in this many is measured. */
  public static final int SAMPLED_ONE_IN = 32;
}
