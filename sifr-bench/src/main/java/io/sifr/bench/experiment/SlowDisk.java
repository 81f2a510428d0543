package io.sifr.bench.experiment;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.process.DiskImage;
import io.sifr.bench.process.WriteLimit;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A disk to which only so many bytes a second can be written, and beside it a directory on the disk
 * that it is made of, to which that does not apply. Not thread-safe, except for what it measures.
 */
final class SlowDisk implements AutoCloseable {
  /** Half of what the stores write a second when nothing holds them up. */
  static final int MEGABYTES_PER_SECOND = 100;

  private static final long BYTES_PER_SECOND = MEGABYTES_PER_SECOND * 1_000_000L;

  /** How often its data fits: a compaction writes all of it again at most, and there is the log. */
  private static final int DATA_FITS = 3;

  private static final long LEAST_BYTES = 512 << 20;

  private final DiskImage disk;
  private final Path fast;
  private @Nullable WriteLimit limit;

  private SlowDisk(DiskImage disk, Path fast) {
    this.disk = disk;
    this.fast = fast;
  }

  /** Why there can be none here, if so. */
  static Optional<String> obstacle(Laboratory laboratory) {
    return DiskImage.obstacle().or(WriteLimit::obstacle).or(laboratory::noFastDirectory);
  }

  /** Creates one that is not slow yet, with room for that much data. */
  static SlowDisk create(Laboratory laboratory, long dataBytes) {
    long bytes = LEAST_BYTES + DATA_FITS * dataBytes;
    Path fast = laboratory.newDirectory("fast");
    DiskSpace.delete(fast); // what a killed process has left; a store creates it again
    return new SlowDisk(DiskImage.create(laboratory.directory(), bytes), fast);
  }

  /** From now on it is slow. */
  void slowDown() {
    limit = WriteLimit.of(disk.device(), BYTES_PER_SECOND);
  }

  /** A directory on it. */
  Path directory() {
    return disk.directory();
  }

  /** A directory that is not on it. */
  Path fast() {
    return fast;
  }

  /** Bytes that it was given to write; differences mean something. */
  long writtenBytes() {
    return disk.writtenBytes();
  }

  /** Gives it what is still in the page cache. */
  void sync() {
    disk.sync();
  }

  @Override
  public void close() {
    try {
      if (limit != null) {
        limit.close();
      }
    } finally {
      disk.close();
      DiskSpace.delete(fast);
    }
  }
}
