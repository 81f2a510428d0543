package io.sifr.internal.search;

import io.sifr.event.Metric;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of point queries: one for each metric that counts, those of searches among them, so a
 * new one needs no more than its row. Thread-safe; no counter is a single word that all threads
 * write.
 */
public final class SearchCounters {
  private final LongAdder[] adders = new LongAdder[Metric.all().size()];

  SearchCounters() {
    Metric.counters().forEach(counter -> adders[counter.index()] = new LongAdder());
  }

  void add(Metric.OfLong counter, long count) {
    if (count > 0) {
      adders[counter.index()].add(count);
    }
  }

  /** What was counted for a metric, 0 if searches do not count it. */
  public long get(Metric.OfLong counter) {
    return adders[counter.index()].sum();
  }
}
