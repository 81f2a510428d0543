package io.sifr.cli.demo;

import org.HdrHistogram.Histogram;

/**
 * The measurements of one kind of operation.
 *
 * @param name name of the operation
 * @param operations how often it ran
 * @param storeNanos time spent in the store, without creating keys and checking answers
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
