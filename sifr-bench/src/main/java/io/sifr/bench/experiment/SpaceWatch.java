package io.sifr.bench.experiment;

import io.sifr.Store;
import io.sifr.bench.measure.DeletedFiles;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.event.StoreStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Looks again and again at what an open store takes on disk. Thread-safe. */
final class SpaceWatch implements AutoCloseable {
  private static final long PERIOD_MILLIS = 50;

  /** Looks in vain at a store that commits all the time before the least favourable counts. */
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
   * Files and live bytes belong together only when no commit came in between: otherwise it looks
   * again.
   */
  private SpaceSample look() {
    StoreStatistics before = store.statistics();
    for (int tries = 1; ; tries++) {
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      Map<String, Long> files = DiskSpace.bytesByExtension(store.directory());
      long held = DeletedFiles.heldBytes(store.directory()).orElse(0);
      StoreStatistics after = store.statistics();
      if (before.space().liveBytes() == after.space().liveBytes() || tries == MAX_TRIES) {
        return new SpaceSample(
            seconds,
            files.values().stream().mapToLong(Long::longValue).sum() + held,
            files.getOrDefault("wal", 0L) + files.getOrDefault("wal.new", 0L),
            held,
            Math.min(before.space().liveBytes(), after.space().liveBytes()),
            Math.min(before.writes().flushBytes(), after.writes().flushBytes()),
            Math.min(before.compactions().running(), after.compactions().running()));
      }
      before = after;
    }
  }

  /**
   * Looks a last time and ends.
   *
   * @throws IllegalStateException when a look has failed: the samples would mean nothing
   */
  @Override
  public void close() {
    looks.close();
    add();
  }

  /** What was seen, the oldest first. */
  synchronized List<SpaceSample> samples() {
    return List.copyOf(samples);
  }
}
