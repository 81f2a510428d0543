package io.sifr.bench.driver;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.measure.ProcessFigures;
import io.sifr.bench.measure.Sampler;
import io.sifr.bench.store.BenchStore;
import io.sifr.bench.store.StoreFigures;
import io.sifr.bench.workload.Client;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Workload;
import io.sifr.event.StoreListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the workloads of a {@link RunSpec} one after the other. A workload that needs entries and
 * finds none is preceded by a {@code fillrandom}, which has a result of its own unless a kept store
 * is copied. Not thread-safe, except for {@link #stop}.
 */
public final class StoreRun {
  /** Shows the progress of a workload. */
  public interface Progress {
    /**
     * A workload begins. The consumer receives the number of operations done, from another thread.
     */
    LongConsumer begin(Workload workload, long operations);

    /** It is done. */
    void end();
  }

  /** Opens the store in a directory. */
  @FunctionalInterface
  public interface Opener {
    /** Opens a new store. */
    BenchStore open(Path directory);
  }

  private final RunSpec spec;
  private final Opener opener;
  private final Path directory;
  private final Progress progress;

  /** The number of runs of each workload. */
  private final Map<Workload, Integer> runs = new EnumMap<>(Workload.class);

  private @Nullable BenchStore store;
  private @Nullable Dataset dataset;
  private volatile @Nullable Clients clients;
  private volatile boolean stopped;

  /** A run in a directory that does not exist yet. */
  public StoreRun(RunSpec spec, Path directory, Progress progress) {
    this(spec, directory, progress, StoreListener.NONE);
  }

  /** A run with a listener, which is told of the background work of this project's own stores. */
  public StoreRun(RunSpec spec, Path directory, Progress progress, StoreListener listener) {
    this(
        spec,
        path -> spec.store().open(path, spec.terms(), spec.expectedBytes(), listener),
        directory,
        progress);
  }

  /** A run of a store that is opened in a special way. */
  StoreRun(RunSpec spec, Opener opener, Path directory, Progress progress) {
    this.spec = spec;
    this.opener = opener;
    this.directory = directory;
    this.progress = progress;
  }

  /**
   * Runs everything and deletes the directory again, whatever happens.
   *
   * @param results receives each result as soon as it is available
   * @throws IllegalArgumentException when the store cannot meet the terms
   * @throws io.sifr.bench.workload.WrongAnswerException when the store gives a wrong answer
   * @throws CancellationException when it was stopped
   */
  public void run(Consumer<RunResult> results) {
    try {
      for (Workload workload : spec.workloads()) {
        if (!workload.fills() && dataset == null) {
          fill(Workload.FILLRANDOM, results);
        }
        if (workload.fills()) {
          fill(workload, results);
        } else {
          results.accept(measure(workload, opened()));
        }
      }
    } finally {
      try {
        close();
      } finally {
        DiskSpace.delete(directory);
      }
    }
  }

  /**
   * Makes the run end soon, from another thread: after the operations that are under way, or by no
   * longer waiting for background work.
   */
  public void stop() {
    stopped = true;
    Clients measured = clients;
    if (measured != null) {
      measured.stop();
    }
  }

  private void fill(Workload workload, Consumer<RunResult> results) {
    close();
    DiskSpace.delete(directory);
    Dataset filled =
        new Dataset(spec.shape(), spec.capacity(), workload == Workload.FILLSEQ, spec.seed());
    dataset = filled;
    if (workload == Workload.FILLRANDOM && spec.keptFills().isPresent()) {
      KeptFills kept = new KeptFills(spec.keptFills().get());
      if (kept.copyTo(spec, directory)) {
        filled.wereInserted(spec.entries());
      } else {
        RunResult result = fillEmpty(workload);
        results.accept(result);
        close();
        if (result.operations() == spec.entries()) { // a limit of time may have ended it
          kept.keep(spec, directory);
        }
      }
      store = opener.open(directory);
    } else {
      results.accept(fillEmpty(workload));
    }
  }

  private RunResult fillEmpty(Workload workload) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    BenchStore opened = opener.open(directory);
    store = opened;
    return measure(workload, opened);
  }

  private BenchStore opened() {
    if (store == null) {
      throw new IllegalStateException("no store is open");
    }
    return store;
  }

  private Dataset dataset() {
    if (dataset == null) {
      throw new IllegalStateException("there are no entries");
    }
    return dataset;
  }

  private void close() {
    BenchStore open = store;
    store = null;
    if (open != null) {
      open.close();
    }
  }

  private RunResult measure(Workload workload, BenchStore target) {
    Dataset entries = dataset();
    int runsBefore = runs.merge(workload, 1, Integer::sum) - 1;
    Clients measured =
        new Clients(
            workload,
            spec.threads(),
            spec.operationsOf(workload),
            workload.fills() ? OptionalDouble.empty() : spec.rate(),
            spec.timeLimitSeconds(),
            number -> new Client(target, entries, seedOf(workload, runsBefore, number)));
    clients = measured;
    if (stopped) {
      measured.stop();
    }
    StoreFigures figuresBefore = target.figures();
    ProcessFigures before = ProcessFigures.now(directory);
    LongConsumer shown = progress.begin(workload, measured.operations());
    long tablesBefore = figuresBefore.tableBytes().orElse(0);
    Sampler sampler =
        new Sampler(
            directory,
            measured::done,
            () -> target.figures().tableBytes().orElse(0) - tablesBefore,
            shown);
    long drainNanos;
    try {
      measured.run();
      long drainStart = System.nanoTime();
      target.drain();
      drainNanos = System.nanoTime() - drainStart;
    } finally {
      sampler.close();
      progress.end();
    }
    return new Evaluation(spec, workload, measured, sampler)
        .result(
            drainNanos / 1e9,
            before,
            ProcessFigures.now(directory),
            figuresBefore,
            target.figures(),
            DiskSpace.bytes(directory),
            DiskSpace.tableSizes(directory));
  }

  /**
   * Each client of each workload has its own fixed sequence of choices; if it runs again, another
   * one, since it would find in memory what it has just read.
   */
  private long seedOf(Workload workload, int runsBefore, int number) {
    long first = spec.seed() + workload.label().hashCode() * 31L * RunSpec.MAX_THREADS + number;
    return first + ((long) runsBefore << Integer.SIZE);
  }
}
