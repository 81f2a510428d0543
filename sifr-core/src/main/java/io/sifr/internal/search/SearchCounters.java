package io.sifr.internal.search;

import java.util.concurrent.atomic.LongAdder;

/** Counters of point queries. Thread-safe; no counter is a single word that all threads write. */
public final class SearchCounters {
  private final LongAdder candidates = new LongAdder();
  private final LongAdder handOffs = new LongAdder();
  private final LongAdder uselessReads = new LongAdder();

  void searched(int count) {
    if (count > 0) {
      candidates.add(count);
    }
  }

  void handedOver() {
    handOffs.increment();
  }

  void uselessRead() {
    uselessReads.increment();
  }

  /** SSTs that were searched for a key. */
  public long candidates() {
    return candidates.sum();
  }

  /** Searches, or parts of them, that were handed to a search thread. */
  public long handOffs() {
    return handOffs.sum();
  }

  /** Candidates that were searched with I/O and whose answer was not needed. */
  public long uselessReads() {
    return uselessReads.sum();
  }
}
