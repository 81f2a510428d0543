package io.sifr.internal.background;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Spreads over time what one compaction writes. What it could have written while it was paused it
 * does not catch up on. Used by one thread.
 */
final class WritePace {
  private final long bytesPerSecond;
  private final LongSupplier nanoTime;
  private long written;

  /** Until when what is written takes at this pace. */
  private long until;

  WritePace(long bytesPerSecond, LongSupplier nanoTime) {
    this.bytesPerSecond = bytesPerSecond;
    this.nanoTime = nanoTime;
    this.until = nanoTime.getAsLong();
  }

  /**
   * How long the compaction is to pause, in nanoseconds; 0 or less if it may go on.
   *
   * @param writtenBytes what it has written in all
   */
  long pauseNanos(long writtenBytes) {
    long now = nanoTime.getAsLong();
    double more = (writtenBytes - written) * (double) TimeUnit.SECONDS.toNanos(1);
    written = writtenBytes;
    until = Math.max(until - now, 0) + now + (long) (more / bytesPerSecond);
    return until - now;
  }
}
