package io.sifr.bench.measure;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Samples the progress and the resources of a run every fifth of a second, on a thread of its own.
 * Its peaks are lower bounds, as a peak between two samples goes unnoticed. Thread-safe.
 */
public final class Sampler implements AutoCloseable {
  private static final long PERIOD_MILLIS = 200;

  private final Path directory;
  private final LongSupplier operations;
  private final LongSupplier tableBytes;
  private final LongConsumer progress;
  private final long startNanos = System.nanoTime();
  private final Looks looks;

  // Guarded by this.
  private final List<Sample> samples = new ArrayList<>();
  private long peakDiskBytes;
  private OptionalLong peakMemoryBytes = OptionalLong.empty();
  private OptionalLong peakResidentBytes = OptionalLong.empty();

  /**
   * Begins at once.
   *
   * @param directory whose size is sampled
   * @param operations done so far; called from the sampler's thread
   * @param tableBytes written so far; called from the sampler's thread
   * @param progress receives the operations done at every sample, on the sampler's thread
   */
  public Sampler(
      Path directory, LongSupplier operations, LongSupplier tableBytes, LongConsumer progress) {
    this.directory = directory;
    this.operations = operations;
    this.tableBytes = tableBytes;
    this.progress = progress;
    look();
    looks = new Looks(PERIOD_MILLIS, this::look);
  }

  private void look() {
    long done = operations.getAsLong();
    long tables = tableBytes.getAsLong();
    long disk = DiskSpace.bytes(directory);
    OptionalLong memory = ProcessFigures.privateMemoryBytes();
    OptionalLong resident = ProcessFigures.residentMemoryBytes();
    synchronized (this) {
      peakDiskBytes = Math.max(peakDiskBytes, disk);
      peakMemoryBytes = larger(peakMemoryBytes, memory);
      peakResidentBytes = larger(peakResidentBytes, resident);
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      samples.add(new Sample(seconds, done, disk, memory.orElse(0), tables));
    }
    progress.accept(done);
  }

  private static OptionalLong larger(OptionalLong one, OptionalLong other) {
    return one.isEmpty() || other.orElse(0) > one.getAsLong() ? other : one;
  }

  /** The samples, oldest first; the first is from the beginning. */
  public synchronized List<Sample> samples() {
    return List.copyOf(samples);
  }

  /** Largest sampled size of the files in bytes. */
  public synchronized long peakDiskBytes() {
    return peakDiskBytes;
  }

  /** Largest sampled private memory in bytes. */
  public synchronized OptionalLong peakMemoryBytes() {
    return peakMemoryBytes;
  }

  /** Largest sampled memory in bytes, mapped files included. */
  public synchronized OptionalLong peakResidentBytes() {
    return peakResidentBytes;
  }

  /**
   * Takes a last sample and ends.
   *
   * @throws IllegalStateException when a sample has failed: the figures would be meaningless
   */
  @Override
  public void close() {
    looks.close();
    look();
  }
}
