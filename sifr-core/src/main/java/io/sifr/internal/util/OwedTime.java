package io.sifr.internal.util;

import java.util.function.LongSupplier;

/**
 * Time that several owe together for what they did, and that passes by itself, so it does not
 * matter who waits for it. Time that passed while nothing was owed is no credit. Thread-safe.
 */
public final class OwedTime {
  /** More than anybody waits, and no overflow. */
  private static final long MOST_NANOS = Long.MAX_VALUE / 2;

  private final LongSupplier nanoTime;

  /** Guarded by this. */
  private long until;

  /** Nothing is owed at first. */
  public OwedTime(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.until = nanoTime.getAsLong();
  }

  /** So many nanoseconds more are owed. */
  public synchronized void add(double nanos) {
    long now = nanoTime.getAsLong();
    until = now + (long) Math.min(Math.max(until - now, 0) + nanos, (double) MOST_NANOS);
  }

  /** Nanoseconds that are owed; 0 or less if none are. */
  public synchronized long leftNanos() {
    return until - nanoTime.getAsLong();
  }

  /** Nothing is owed any more. */
  public synchronized void forgive() {
    until = nanoTime.getAsLong();
  }
}
