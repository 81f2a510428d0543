package io.sifr.internal.compaction.run;

import io.sifr.internal.util.OwedTime;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Spreads over time what is written, by one compaction or by many. What could have been written
 * while there was nothing to write is not caught up on. Thread-safe.
 */
public final class WritePace {
  private final double nanosPerByte;

  /** What is written takes this long at this pace. */
  private final OwedTime owed;

  public WritePace(long bytesPerSecond, LongSupplier nanoTime) {
    this.nanosPerByte = (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    this.owed = new OwedTime(nanoTime);
  }

  /** So many bytes were written. */
  void wrote(long bytes) {
    owed.add(bytes * nanosPerByte);
  }

  /** How long nothing more is to be written, in nanoseconds; 0 or less if it may go on. */
  long pauseNanos() {
    return owed.leftNanos();
  }
}
