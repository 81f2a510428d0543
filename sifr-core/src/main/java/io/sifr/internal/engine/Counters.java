package io.sifr.internal.engine;

import io.sifr.event.LatencySummary;
import io.sifr.internal.forest.Totals;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what the store does. Thread-safe; readers and writers of the store never write one shared
 * word for it.
 */
final class Counters {
  final LongAdder userBytes = new LongAdder();
  final LongAdder walBytes = new LongAdder();
  final LongAdder flushBytes = new LongAdder();
  final LongAdder mergeBytes = new LongAdder();
  final LongAdder movedBytes = new LongAdder();
  final LongAdder stallNanos = new LongAdder();
  private final LatencyHistogram puts = new LatencyHistogram();
  private final LatencyHistogram gets = new LatencyHistogram();

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
    puts.add(nanos);
  }

  void getTook(long nanos) {
    gets.add(nanos);
  }

  LatencySummary puts() {
    return puts.summary();
  }

  LatencySummary gets() {
    return gets.summary();
  }
}
