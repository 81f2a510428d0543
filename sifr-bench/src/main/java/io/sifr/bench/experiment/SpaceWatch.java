package io.sifr.bench.experiment;

import io.sifr.Store;
import io.sifr.bench.measure.DeletedFiles;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.measure.Looks;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Samples the disk space of an open store. Thread-safe. */
final class SpaceWatch implements AutoCloseable {
  private static final long PERIOD_MILLIS = 50;

  /** Attempts at a sample without a commit meanwhile, before the least favourable one counts. */
  private static final int MAX_TRIES = 20;

  private final Store store;
  private final long startNanos = System.nanoTime();
  private final List<SpaceSample> samples = new ArrayList<>(); // guarded by this
  private final Looks looks;

  /** Begins at once. */
  SpaceWatch(Store store) {
    this.store = store;
    this.looks = new Looks(PERIOD_MILLIS, this::add);
  }

  private void add() {
    SpaceSample sample = look();
    synchronized (this) {
      samples.add(sample);
    }
  }

  /**
   * Files and live bytes are consistent only if no commit happened in between; otherwise samples
   * again.
   */
  private SpaceSample look() {
    StoreStatistics before = store.statistics();
    for (int tries = 1; ; tries++) {
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      Map<String, Long> files = DiskSpace.bytesByExtension(store.directory());
      long held = DeletedFiles.heldBytes(store.directory()).orElse(0);
      StoreStatistics after = store.statistics();
      if (before.get(Metric.LIVE_BYTES) == after.get(Metric.LIVE_BYTES) || tries == MAX_TRIES) {
        return new SpaceSample(
            seconds,
            files.values().stream().mapToLong(Long::longValue).sum() + held,
            files.getOrDefault("wal", 0L) + files.getOrDefault("wal.new", 0L),
            held,
            Math.min(before.get(Metric.LIVE_BYTES), after.get(Metric.LIVE_BYTES)),
            Math.min(before.get(Metric.FLUSH_BYTES), after.get(Metric.FLUSH_BYTES)),
            (int)
                Math.min(
                    before.get(Metric.RUNNING_COMPACTIONS), after.get(Metric.RUNNING_COMPACTIONS)));
      }
      before = after;
    }
  }

  /**
   * Takes a last sample and ends.
   *
   * @throws IllegalStateException when a sample has failed: the samples would be meaningless
   */
  @Override
  public void close() {
    looks.close();
    add();
  }

  /** The samples, oldest first. */
  synchronized List<SpaceSample> samples() {
    return List.copyOf(samples);
  }
}
