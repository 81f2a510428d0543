package io.sifr.cli.demo;

import org.HdrHistogram.Histogram;

/**
 * One kind of operation that was measured.
 *
 * @param name what was done
 * @param operations how often
 * @param storeNanos time spent in the store, without making keys and checking answers
 * @param latencies of the operations, in nanoseconds
 */
record PhaseResult(String name, long operations, long storeNanos, Histogram latencies) {
  double micros(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1000.0;
  }

  double maxMicros() {
    return latencies.getMaxValue() / 1000.0;
  }
}
