package io.sifr.internal.background;

import java.util.function.LongSupplier;

/**
 * Lets a merge give way to others for half of its time at most: where one of a lower stage is due
 * at every moment, it would never end, and keep its inputs. Used by one thread.
 */
final class GivingWay {
  private final LongSupplier nanoTime;
  private long freeFrom;

  GivingWay(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.freeFrom = nanoTime.getAsLong();
  }

  /** Whether it may give way at this moment. */
  boolean isFree() {
    return nanoTime.getAsLong() - freeFrom >= 0;
  }

  /** Does something else, and keeps the next while that takes as long to itself. */
  void give(Runnable other) {
    long start = nanoTime.getAsLong();
    other.run();
    long end = nanoTime.getAsLong();
    freeFrom = end + (end - start);
  }
}
