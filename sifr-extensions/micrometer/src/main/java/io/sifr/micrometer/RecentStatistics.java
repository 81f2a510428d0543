package io.sifr.micrometer;

import io.micrometer.core.instrument.Clock;
import io.sifr.error.SifrException;
import io.sifr.event.StoreStatistics;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The statistics of a store, at most a second old: one look at all meters of a store takes them
 * once. When they cannot be taken any more, because the store is being closed or its directory
 * cannot be read, they stay as they were. Thread-safe.
 */
final class RecentStatistics {
  static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Supplier<StoreStatistics> source;
  private final Clock clock;
  private final Runnable renewed;

  // Guarded by this.
  private StoreStatistics newest;
  private long takenAt;

  /**
   * Takes the first ones.
   *
   * @param renewed called when others were taken, without a lock
   */
  RecentStatistics(Supplier<StoreStatistics> source, Clock clock, Runnable renewed) {
    this.source = source;
    this.clock = clock;
    this.renewed = renewed;
    this.newest = source.get();
    this.takenAt = clock.monotonicTime();
  }

  StoreStatistics get() {
    if (renew()) {
      renewed.run();
    }
    synchronized (this) {
      return newest;
    }
  }

  private synchronized boolean renew() {
    long now = clock.monotonicTime();
    if (now - takenAt < AGE_NANOS) {
      return false;
    }
    takenAt = now;
    try {
      newest = source.get();
      return true;
    } catch (IllegalStateException | SifrException e) {
      return false;
    }
  }
}
