package io.sifr.internal.compaction.run;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * For how long nobody has written to a store. Writers do nothing for it: whether they have written
 * shows in the sequence number when somebody looks. The caller synchronizes.
 */
public final class QuietTime {
  private final LongSupplier sequence;
  private final LongSupplier nanoTime;

  private long lastSequence;

  /** When {@link #sequence} was first seen at its last value. */
  private long since;

  /**
   * @param sequence of the newest write to the store
   * @param nanoTime the time, in nanoseconds
   */
  public QuietTime(LongSupplier sequence, LongSupplier nanoTime) {
    this.sequence = sequence;
    this.nanoTime = nanoTime;
    this.lastSequence = sequence.getAsLong();
    this.since = nanoTime.getAsLong();
  }

  long millis() {
    long newest = sequence.getAsLong();
    long now = nanoTime.getAsLong();
    if (newest != lastSequence) {
      lastSequence = newest;
      since = now;
    }
    return TimeUnit.NANOSECONDS.toMillis(now - since);
  }
}
