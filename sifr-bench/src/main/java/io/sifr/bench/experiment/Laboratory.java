package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.process.ChildFailedException;
import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import io.sifr.config.Durability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/** Runs stores for experiments, in {@link Rounds}. Not thread-safe. */
public final class Laboratory {
  /**
   * The stores of most experiments: this project's, which differ in nothing but the compaction
   * policy, and others of both models (TPDS §2).
   */
  static final List<StoreKind> LSM_STORES =
      List.of(
          StoreKind.SIFR,
          StoreKind.SIFR_TIERED,
          StoreKind.SIFR_GUARDED,
          StoreKind.SIFR_LEVELED,
          StoreKind.ROCKSDB,
          StoreKind.ROCKSDB_UNIVERSAL,
          StoreKind.LEVELDB);

  /** A hundredth of the data at the medium scale: nearly every block has to be read. */
  static final long SMALL_CACHE_BYTES = 8 << 20;

  /** The write buffer of the papers (TPDS §5.1). */
  static final long WRITE_BUFFER_BYTES = 4 << 20;

  private static final long CACHE_BYTES = 64 << 20;

  /** The terms of stores if an experiment does not vary them. */
  static final Terms TERMS = Terms.plain(Durability.BUFFERED, WRITE_BUFFER_BYTES, CACHE_BYTES);

  /** Puts after which the JVM has compiled the most of what a load needs. */
  static final int WARM_UP_ENTRIES = 100_000;

  /**
   * The cache gets this fraction of a memory limit, one part in so many: the JVM takes a hundred
   * megabytes, and what the cache takes of the remainder is not available to the page cache.
   */
  private static final int CACHE_SHARE = 8;

  /** File systems that lose everything with the power. */
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

  private final Scale scale;
  private final Rounds rounds;
  private final Path directory;
  private final Path keptFills;
  private final BiFunction<RunSpec, OptionalLong, List<RunResult>> runner;
  private final Consumer<String> progress;
  private final Map<Form, SlowLoad> slowLoads = new EnumMap<>(Form.class);
  private boolean wrongAnswers;

  /**
   * A laboratory.
   *
   * @param rounds how often each run is done, 1 or more
   * @param isTimeUp whether no round after the first may begin any more
   * @param directory where stores are created
   * @param runner runs a spec within a memory limit
   * @param progress receives the next run
   */
  public Laboratory(
      Scale scale,
      int rounds,
      BooleanSupplier isTimeUp,
      Path directory,
      BiFunction<RunSpec, OptionalLong, List<RunResult>> runner,
      Consumer<String> progress) {
    this.scale = scale;
    this.rounds = new Rounds(rounds, isTimeUp, this::run, progress);
    this.directory = directory;
    this.keptFills = directory.resolve("sifr-bench-fills-" + ProcessHandle.current().pid());
    this.runner = runner;
    this.progress = progress;
  }

  Scale scale() {
    return scale;
  }

  Path directory() {
    return directory;
  }

  /** Why no store can have a fast directory beside it here, if so. */
  Optional<String> noFastDirectory() {
    try {
      return IN_MEMORY.contains(Files.getFileStore(directory).type())
          ? Optional.of(directory + " is in memory, where no store has a fast directory")
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Does something with a store of an experiment's own, in a directory that it deletes then. */
  <T> T inDirectory(String name, Function<Path, T> work) {
    Path own = newDirectory(name);
    try {
      return work.apply(own);
    } finally {
      DiskSpace.delete(own);
    }
  }

  /** Creates a directory for a store of an experiment's own, which deletes it. */
  Path newDirectory(String name) {
    try {
      return Files.createDirectories(directory.resolve("sifr-bench-" + name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether a store has given a wrong answer in any run so far. */
  public boolean wrongAnswers() {
    return wrongAnswers;
  }

  /** An experiment begins. */
  void begin(Experiment experiment) {
    progress.accept(experiment.name());
    rounds.begin(experiment.name());
  }

  /** The rounds of what was run so far. */
  Rounds rounds() {
    return rounds;
  }

  /** The load of a form of a store on a slow disk, which is done when it is needed first. */
  SlowLoad slowLoad(Form form) {
    if (slowLoads.isEmpty() && scale.entries() > WARM_UP_ENTRIES) {
      for (Form each : Form.values()) {
        SlowLoad.warmUp(this, each, WARM_UP_ENTRIES);
      }
    }
    SlowLoad known = slowLoads.get(form);
    if (known != null) {
      return known;
    }
    tell(form.label() + ": random load on a slow disk");
    SlowLoad load = SlowLoad.run(this, form);
    slowLoads.put(form, load);
    return load;
  }

  void tell(String what) {
    progress.accept(what);
  }

  /** Workloads of the papers' shape on as many entries as the scale says, without filters. */
  RunSpec spec(StoreKind store, Workload... workloads) {
    return new RunSpec(
        store,
        List.of(workloads),
        Shape.PAPER,
        scale.entries(),
        OptionalInt.empty(),
        1,
        OptionalDouble.empty(),
        OptionalInt.empty(),
        TERMS,
        1,
        Optional.empty());
  }

  /** The same with as many reads as may wait for the disk. */
  RunSpec uncachedSpec(StoreKind store, Workload... workloads) {
    return spec(store, workloads).withOperations(OptionalInt.of(scale.uncachedReads()));
  }

  /** The result of one workload of a run, the last if there are several, or why there is none. */
  Attempt attempt(RunSpec spec, Workload workload) {
    return attempt(spec, workload, OptionalLong.empty());
  }

  private Attempt attempt(RunSpec spec, Workload workload, OptionalLong memoryBytes) {
    Rounds.Run run = new Rounds.Run(spec, memoryBytes);
    rounds.need(run);
    return rounds
        .failure(run)
        .map(failure -> new Attempt(Optional.empty(), failure))
        .orElseGet(() -> new Attempt(rounds.median(run, workload.label()), "it was not run"));
  }

  /**
   * The result of one workload of a run within a memory limit, or why there is none. With less
   * memory its cache is smaller. The initial fill is done once for all such runs, so it has no
   * result.
   */
  Attempt attemptOnKeptFill(RunSpec spec, Workload workload, OptionalLong memoryBytes) {
    RunSpec fill =
        spec(spec.store(), Workload.FILLRANDOM)
            .withShape(spec.shape())
            .withEntries(spec.entries())
            .withTerms(terms -> terms.withBloom(spec.terms().bloom()));
    Attempt filled = attempt(onKeptFill(fill), Workload.FILLRANDOM);
    return filled.result().isPresent()
        ? attempt(onKeptFill(within(memoryBytes, spec)), workload, memoryBytes)
        : filled;
  }

  private RunSpec onKeptFill(RunSpec spec) {
    return spec.withKeptFills(Optional.of(keptFills));
  }

  private static RunSpec within(OptionalLong memoryBytes, RunSpec spec) {
    long cache = spec.terms().cacheBytes();
    long most = memoryBytes.isPresent() ? memoryBytes.getAsLong() / CACHE_SHARE : cache;
    return spec.withTerms(terms -> terms.withCacheBytes(Math.min(cache, most)));
  }

  /** Deletes the kept fills. No run may follow. */
  public void deleteKeptFills() {
    DiskSpace.delete(keptFills);
  }

  /**
   * A result, or none.
   *
   * @param result the result
   * @param failure why there is none, if there is none
   */
  record Attempt(Optional<RunResult> result, String failure) {}

  private Rounds.Outcome run(Rounds.Run run) {
    progress.accept(
        run.spec().store().label()
            + ": "
            + String.join(", ", run.spec().workloads().stream().map(Workload::label).toList())
            + (run.memoryBytes().isPresent()
                ? " in " + Figures.mib(run.memoryBytes().getAsLong())
                : ""));
    try {
      return new Rounds.Outcome(runner.apply(run.spec(), run.memoryBytes()), Optional.empty());
    } catch (ChildFailedException e) {
      wrongAnswers |= e.exitCode() == ExitCodes.WRONG_ANSWER;
      return new Rounds.Outcome(List.of(), Optional.of(String.valueOf(e.getMessage())));
    }
  }
}
