package io.sifr.internal.state;

import io.sifr.event.CompactionReason;
import io.sifr.internal.forest.Totals;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
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

  // All below since the store was opened.

  public final LongAdder flushes = new LongAdder();
  public final LongAdder stalls = new LongAdder();

  /** Writes that would have been delayed for too long. */
  public final LongAdder refused = new LongAdder();

  /** Nanoseconds for which compactions have paused because of reads. */
  public final LongAdder stepBackNanos = new LongAdder();

  /** Nanoseconds for which compactions have paused because of their limit. */
  public final LongAdder limitNanos = new LongAdder();

  private final Map<CompactionReason, LongAdder> compactions =
      new EnumMap<>(CompactionReason.class);
  public final LatencyHistogram puts = new LatencyHistogram();
  public final LatencyHistogram gets = new LatencyHistogram();
  public final ReadDurations reads = new ReadDurations();

  public Counters(Totals before) {
    for (CompactionReason reason : CompactionReason.values()) {
      compactions.put(reason, new LongAdder());
    }
    userBytes.add(before.userBytes());
    walBytes.add(before.walBytes());
    flushBytes.add(before.flushBytes());
    compactionBytes.add(before.compactionBytes());
    movedBytes.add(before.movedBytes());
    stallNanos.add(TimeUnit.MILLISECONDS.toNanos(before.stallMillis()));
  }

  /** Counts a compaction that has ended. */
  public void ended(CompactionReason reason) {
    Objects.requireNonNull(compactions.get(reason)).increment();
  }

  /** How many compactions have ended for each reason since the store was opened. */
  public Map<CompactionReason, Long> compactions() {
    Map<CompactionReason, Long> counts = new EnumMap<>(CompactionReason.class);
    compactions.forEach((reason, count) -> counts.put(reason, count.sum()));
    return counts;
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
