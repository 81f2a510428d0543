package io.sifr.cli.demo;

import io.sifr.Store;
import io.sifr.event.Metric;
import java.util.concurrent.TimeUnit;

/**
 * The largest size of a store's files in bytes, as far as it was sampled: adding up the sizes is
 * not free, so it is done a few times a second. Not thread-safe.
 */
public final class SpacePeak {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int CALLS_PER_LOOK = 256;

  private final Store store;
  private long lookedNanos = System.nanoTime() - INTERVAL_NANOS;
  private int calls;
  private long bytes;

  /** A peak of zero bytes. */
  public SpacePeak(Store store) {
    this.store = store;
  }

  /** Samples if it is time to. Cheap enough to be called for every entry. */
  public void sample() {
    if (calls++ % CALLS_PER_LOOK == 0 && System.nanoTime() - lookedNanos >= INTERVAL_NANOS) {
      look();
    }
  }

  /** Samples in any case. */
  public void look() {
    bytes = Math.max(bytes, store.statistics().get(Metric.DISK_BYTES));
    lookedNanos = System.nanoTime();
  }

  /** The peak. */
  public long bytes() {
    return bytes;
  }
}
