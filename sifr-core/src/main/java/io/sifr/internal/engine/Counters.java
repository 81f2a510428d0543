package io.sifr.internal.engine;

import io.sifr.event.LatencySummary;
import io.sifr.internal.forest.Totals;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Counts what the store does. Thread-safe; readers and writers of the store never write one shared
 * word for it.
 */
final class Counters {
  private static final int SIGNIFICANT_DIGITS = 2;

  final LongAdder userBytes = new LongAdder();
  final LongAdder walBytes = new LongAdder();
  final LongAdder flushBytes = new LongAdder();
  final LongAdder mergeBytes = new LongAdder();
  final LongAdder movedBytes = new LongAdder();
  final LongAdder stallNanos = new LongAdder();
  private final Histogram puts = new ConcurrentHistogram(SIGNIFICANT_DIGITS);
  private final Histogram gets = new ConcurrentHistogram(SIGNIFICANT_DIGITS);

  Counters(Totals before) {
    userBytes.add(before.userBytes());
    walBytes.add(before.walBytes());
    flushBytes.add(before.flushBytes());
    mergeBytes.add(before.mergeBytes());
    movedBytes.add(before.movedBytes());
    stallNanos.add(TimeUnit.MILLISECONDS.toNanos(before.stallMillis()));
  }

  Totals totals() {
    return new Totals(
        userBytes.sum(),
        walBytes.sum(),
        flushBytes.sum(),
        mergeBytes.sum(),
        movedBytes.sum(),
        TimeUnit.NANOSECONDS.toMillis(stallNanos.sum()));
  }

  void putTook(long nanos) {
    puts.recordValue(nanos);
  }

  void getTook(long nanos) {
    gets.recordValue(nanos);
  }

  LatencySummary puts() {
    return summary(puts);
  }

  LatencySummary gets() {
    return summary(gets);
  }

  private static LatencySummary summary(Histogram live) {
    Histogram histogram = live.copy();
    return new LatencySummary(
        histogram.getTotalCount(),
        histogram.getMean() / 1e3,
        histogram.getValueAtPercentile(50) / 1e3,
        histogram.getValueAtPercentile(99) / 1e3,
        histogram.getValueAtPercentile(99.9) / 1e3,
        histogram.getMaxValue() / 1e3);
  }
}
