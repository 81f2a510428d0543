package io.sifr.bench.experiment;

import io.sifr.bench.process.DiskImage;

/** Samples the free space of a small disk. Thread-safe. */
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

  /** The smallest sampled free space in bytes. */
  synchronized long leastBytes() {
    return leastBytes;
  }
}
