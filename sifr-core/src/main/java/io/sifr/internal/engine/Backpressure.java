package io.sifr.internal.engine;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Slows writers a little and early, so that they need not be stopped for long and late. The further
 * the background work is behind, the longer a written byte takes: nothing up to a backlog that is
 * normal, then growing with the square of what is too much.
 *
 * <p>Backlog is what waits in memory, as a share of the write buffers there may be, and what waits
 * in the forest, as the debt that the compaction policy sees. Memory has an end where writers are
 * stopped; a forest has none, so there the delay grows on where a disk is so slow that much does
 * not help. The delay is collected until it is worth a sleep.
 *
 * <p>Thread-safe: writers charge themselves when they have given the write lock back.
 */
final class Backpressure {
  /** 2 MB/s: slow enough for most disks to catch up. */
  static final double NANOS_PER_BYTE = 500;

  /** 30 KB/s: slow enough for any disk, fast enough that nobody takes it for a stop. */
  static final double MAX_PRESSURE = 8;

  /** Shorter sleeps cost more in waking than they delay. */
  private static final long SMALLEST_PAUSE_NANOS = 500_000;

  private final int maxImmutables;

  /** Delay owed by the writers. */
  private final AtomicLong owedNanos = new AtomicLong();

  Backpressure(int maxImmutables) {
    this.maxImmutables = maxImmutables;
  }

  /**
   * How far the background work of a database lags behind: 0 (not at all), 1 (as far as it should
   * ever be), more, up to {@value #MAX_PRESSURE}.
   *
   * @param debt that of the compactions, in the same measure but for its ends
   */
  double pressure(int immutables, double debt) {
    double memory = (immutables - maxImmutables / 2.0) / (maxImmutables / 2.0);
    return Math.max(0, Math.max(Math.min(1, memory), Math.min(MAX_PRESSURE, debt)));
  }

  /**
   * Charges a write.
   *
   * @return nanoseconds the writer has to pause; mostly 0
   */
  long charge(long bytes, double pressure) {
    if (pressure <= 0) {
      if (owedNanos.get() != 0) { // mostly it is, and then all writers may keep it in their caches
        owedNanos.set(0);
      }
      return 0;
    }
    long charged = (long) (bytes * pressure * pressure * NANOS_PER_BYTE);
    return owedNanos.addAndGet(charged) < SMALLEST_PAUSE_NANOS ? 0 : owedNanos.getAndSet(0);
  }

  /**
   * Waits that long, whether or not the thread is interrupted, and leaves its interrupt status as
   * it was.
   */
  static void pause(long nanos) {
    long end = System.nanoTime() + nanos;
    boolean interrupted = false;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
