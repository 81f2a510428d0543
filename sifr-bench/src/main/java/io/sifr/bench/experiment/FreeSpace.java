package io.sifr.bench.experiment;

import io.sifr.bench.process.DiskImage;

/** Looks again and again at how much of a small disk is free. Thread-safe. */
final class FreeSpace implements AutoCloseable {
  private static final long PERIOD_MILLIS = 20;

  private final DiskImage disk;
  private long leastBytes = Long.MAX_VALUE; // guarded by this
  private final Looks looks;

  /** Begins at once. */
  FreeSpace(DiskImage disk) {
    this.disk = disk;
    this.looks = new Looks(PERIOD_MILLIS, this::look);
  }

  private void look() {
    long free = disk.freeBytes();
    synchronized (this) {
      leastBytes = Math.min(leastBytes, free);
    }
  }

  /** Ends. */
  @Override
  public void close() {
    looks.close();
  }

  /** The least that was free at a look. */
  synchronized long leastBytes() {
    return leastBytes;
  }
}
