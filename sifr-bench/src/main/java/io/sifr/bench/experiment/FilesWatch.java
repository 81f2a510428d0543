package io.sifr.bench.experiment;

import io.sifr.bench.measure.DeletedFiles;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.measure.Looks;
import io.sifr.bench.report.Block;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Samples the space that the files of an open store of any kind take, by the user bytes written so
 * far. Thread-safe.
 */
final class FilesWatch implements AutoCloseable {
  private final Path directory;
  private final LongSupplier userBytes;
  private final List<Double> userMib = new ArrayList<>(); // guarded by this
  private final List<Double> diskMib = new ArrayList<>(); // guarded by this
  private long peakBytes; // guarded by this
  private final Looks looks;

  /**
   * Begins at once.
   *
   * @param userBytes written so far; called from another thread
   */
  FilesWatch(Path directory, long periodMillis, LongSupplier userBytes) {
    this.directory = directory;
    this.userBytes = userBytes;
    this.looks = new Looks(periodMillis, this::look);
  }

  private void look() {
    long written = userBytes.getAsLong();
    long bytes = bytes(directory);
    synchronized (this) {
      userMib.add(Figures.inMib(written));
      diskMib.add(Figures.inMib(bytes));
      peakBytes = Math.max(peakBytes, bytes);
    }
  }

  /** Bytes of all files of a directory, and of deleted ones that this process still has open. */
  static long bytes(Path directory) {
    return DiskSpace.bytes(directory) + DeletedFiles.heldBytes(directory).orElse(0);
  }

  /**
   * Takes a last sample and ends.
   *
   * @throws IllegalStateException when a sample has failed: the others would be meaningless
   */
  @Override
  public void close() {
    looks.close();
    look();
  }

  /** The largest sample so far. */
  synchronized long peakBytes() {
    return peakBytes;
  }

  /** The samples as a line: MiB on disk over MiB written. */
  synchronized Block.Series line(String name) {
    return new Block.Series(name, userMib, diskMib);
  }
}
