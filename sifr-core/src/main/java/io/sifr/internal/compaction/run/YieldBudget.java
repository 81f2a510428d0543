package io.sifr.internal.compaction.run;

import java.util.function.LongSupplier;

/**
 * Limits the time for which a compaction yields to others to half of its own: where smaller ones
 * are due all the time, it would otherwise never end, and never free its inputs. Used by one
 * thread.
 */
final class YieldBudget {
  private final LongSupplier nanoTime;
  private long allowedFrom;

  YieldBudget(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.allowedFrom = nanoTime.getAsLong();
  }

  /** Whether the compaction may yield now. */
  boolean mayYield() {
    return nanoTime.getAsLong() - allowedFrom >= 0;
  }

  /** Runs other work; the compaction may not yield again until it has run for as long. */
  void yieldTo(Runnable other) {
    long start = nanoTime.getAsLong();
    other.run();
    long end = nanoTime.getAsLong();
    allowedFrom = end + (end - start);
  }
}
