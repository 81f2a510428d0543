package io.sifr.internal.engine.write;

import io.sifr.internal.util.OwedTime;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Slows writers early and slightly, so that they need not be stopped for long later. The delay per
 * written byte grows with the backlog of the background work: none up to a normal backlog, then
 * quadratic in the excess.
 *
 * <p>Backlog is what waits in memory, as a share of the write buffers and of the memory allowed,
 * and what waits in the forest, as the debt that the compaction policy reports. At the limit of
 * memory writers are stopped; a forest has no limit, so for it the delay keeps growing, for disks
 * so slow that a long delay does not suffice. Delay is accumulated until it is worth a sleep.
 *
 * <p>Writers with a limit for how long they are held back do not pause for longer. What they owe
 * beyond that passes with the time in which they do not write.
 *
 * <p>Thread-safe: writers charge themselves after they have released the write lock.
 */
final class Backpressure {
  /** 2 MB/s: slow enough for most disks to catch up. */
  static final double NANOS_PER_BYTE = 500;

  /** 30 KB/s: slow enough for any disk, fast enough not to look like a stop. */
  static final double MAX_PRESSURE = 8;

  /** Shorter sleeps cost more in waking than they delay. */
  private static final long SMALLEST_PAUSE_NANOS = 500_000;

  /** Delay owed by the writers. */
  private final AtomicLong owedNanos = new AtomicLong();

  /** Delay owed by the writers with a limit. */
  private final OwedTime owedWithLimit;

  Backpressure() {
    this(System::nanoTime);
  }

  Backpressure(LongSupplier nanoTime) {
    this.owedWithLimit = new OwedTime(nanoTime);
  }

  /**
   * The backlog of a database: 0 (none), 1 (as much as there ever should be), more, up to {@value
   * #MAX_PRESSURE}.
   *
   * @param inMemory which share is taken of what may wait in memory; up to a half is normal
   * @param debt that of the compactions, on the scale of the result but without its limits
   */
  double pressure(double inMemory, double debt) {
    double memory = Math.min(1, 2 * inMemory - 1);
    return Math.max(0, Math.max(memory, Math.min(MAX_PRESSURE, debt)));
  }

  /**
   * Charges a write.
   *
   * @return nanoseconds for which the writer has to pause; usually 0
   */
  long charge(long bytes, double pressure) {
    if (pressure <= 0) {
      if (owedNanos.get()
          != 0) { // usually it is 0, and then all writers can keep it in their caches
        owedNanos.set(0);
      }
      return 0;
    }
    long charged = (long) (bytes * pressure * pressure * NANOS_PER_BYTE);
    return owedNanos.addAndGet(charged) < SMALLEST_PAUSE_NANOS ? 0 : owedNanos.getAndSet(0);
  }

  /** How long a writer with a limit has to wait before it may write; usually 0 or less. */
  long owedNanos(double pressure) {
    if (pressure <= 0) {
      owedWithLimit.forgive();
    }
    return owedWithLimit.leftNanos();
  }

  /**
   * Charges a write with a limit.
   *
   * @param mostNanos how long the writer may be held back
   * @return nanoseconds for which it has to pause; usually 0
   */
  long charge(long bytes, double pressure, long mostNanos) {
    if (pressure > 0) {
      owedWithLimit.add(bytes * pressure * pressure * NANOS_PER_BYTE);
    }
    long pause = Math.min(owedNanos(pressure), mostNanos);
    return pause < SMALLEST_PAUSE_NANOS ? 0 : pause;
  }

  /** Waits that long, even if the thread is interrupted, and preserves its interrupt status. */
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
