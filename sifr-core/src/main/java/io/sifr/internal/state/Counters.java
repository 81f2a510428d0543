package io.sifr.internal.state;

import io.sifr.internal.forest.Totals;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what the store does. Thread-safe, without a word of memory that all readers or writers
 * share.
 */
public final class Counters {
  public final LongAdder userBytes = new LongAdder();
  public final LongAdder walBytes = new LongAdder();
  public final LongAdder flushBytes = new LongAdder();
  public final LongAdder compactionBytes = new LongAdder();
  public final LongAdder movedBytes = new LongAdder();
  public final LongAdder stallNanos = new LongAdder();
  public final LatencyHistogram puts = new LatencyHistogram();
  public final LatencyHistogram gets = new LatencyHistogram();

  public Counters(Totals before) {
    userBytes.add(before.userBytes());
    walBytes.add(before.walBytes());
    flushBytes.add(before.flushBytes());
    compactionBytes.add(before.compactionBytes());
    movedBytes.add(before.movedBytes());
    stallNanos.add(TimeUnit.MILLISECONDS.toNanos(before.stallMillis()));
  }

  public Totals totals() {
    return new Totals(
        userBytes.sum(),
        walBytes.sum(),
        flushBytes.sum(),
        compactionBytes.sum(),
        movedBytes.sum(),
        TimeUnit.NANOSECONDS.toMillis(stallNanos.sum()));
  }
}
