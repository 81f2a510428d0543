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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Runs stores for experiments. Runs are cached: the same run serves all experiments that need it.
 * With several rounds each run is repeated, in turns with the others of its experiment, and the
 * round with the median rate is the result. Not thread-safe.
 */
public final class Laboratory {
  /**
   * The stores of most experiments: this project's, which differ in nothing but the merge policy,
   * and others of both models (TPDS §2).
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

  private static final long WRITE_BUFFER_BYTES = 4 << 20;
  private static final long CACHE_BYTES = 64 << 20;

  /**
   * The cache gets this fraction of a memory limit, one part in so many: the JVM takes a hundred
   * megabytes, and what the cache takes of the remainder is not available to the page cache.
   */
  private static final int CACHE_SHARE = 8;

  private record Run(RunSpec spec, OptionalLong memoryBytes) {}

  private record Outcome(List<RunResult> results, Optional<String> failure) {}

  private final Scale scale;
  private final int rounds;
  private final Path directory;
  private final Path keptFills;
  private final BiFunction<RunSpec, OptionalLong, List<RunResult>> runner;
  private final Consumer<String> progress;
  private final Map<Run, List<Outcome>> known = new LinkedHashMap<>();
  private boolean wrongAnswers;

  /**
   * A laboratory.
   *
   * @param rounds how often each run is done, 1 or more
   * @param directory where stores are created
   * @param runner runs a spec within a memory limit
   * @param progress receives the next run
   */
  public Laboratory(
      Scale scale,
      int rounds,
      Path directory,
      BiFunction<RunSpec, OptionalLong, List<RunResult>> runner,
      Consumer<String> progress) {
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds is " + rounds + "; allowed: 1 and more");
    }
    this.scale = scale;
    this.rounds = rounds;
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

  /** Whether a store has given a wrong answer in any run so far. */
  public boolean wrongAnswers() {
    return wrongAnswers;
  }

  void tell(String what) {
    progress.accept(what);
  }

  /** Workloads of the papers' shape on as many entries as the scale says. */
  RunSpec spec(StoreKind store, Workload... workloads) {
    return spec(store, Shape.PAPER, scale.entries(), OptionalInt.empty(), 1, false, workloads);
  }

  /** Workloads with all settings that experiments vary. */
  RunSpec spec(
      StoreKind store,
      Shape shape,
      int entries,
      OptionalInt operations,
      int threads,
      boolean bloom,
      Workload... workloads) {
    return new RunSpec(
        store,
        List.of(workloads),
        shape,
        entries,
        operations,
        threads,
        OptionalDouble.empty(),
        OptionalInt.empty(),
        Terms.plain(Durability.BUFFERED, WRITE_BUFFER_BYTES, CACHE_BYTES).withBloom(bloom),
        1,
        Optional.empty());
  }

  /** The result of one workload of a run, the last if there are several, or why there is none. */
  Attempt attempt(RunSpec spec, Workload workload) {
    return attempt(spec, workload, OptionalLong.empty());
  }

  private Attempt attempt(RunSpec spec, Workload workload, OptionalLong memoryBytes) {
    List<Outcome> outcomes =
        known.computeIfAbsent(
            new Run(spec, memoryBytes), run -> new ArrayList<>(List.of(run(run))));
    Optional<String> failure =
        outcomes.stream().map(Outcome::failure).flatMap(Optional::stream).findFirst();
    if (failure.isPresent()) {
      return new Attempt(Optional.empty(), failure.get());
    }
    List<RunResult> results = results(outcomes, workload.label());
    return new Attempt(
        results.isEmpty() ? Optional.empty() : Optional.of(results.get(results.size() / 2)),
        "it was not run");
  }

  /** The result of a workload in each round, the last if there are several; by ascending rate. */
  private static List<RunResult> results(List<Outcome> outcomes, String workload) {
    return outcomes.stream()
        .map(
            outcome ->
                outcome.results().stream()
                    .filter(candidate -> candidate.workload().equals(workload))
                    .reduce((earlier, later) -> later))
        .flatMap(Optional::stream)
        .sorted(Comparator.comparingDouble(RunResult::opsPerSecondDrained))
        .toList();
  }

  /**
   * Does the rounds that are due of all runs so far, in turns. What was measured of them before is
   * out of date then.
   *
   * @return whether there were any
   */
  boolean repeat() {
    List<Run> due =
        new ArrayList<>(
            known.keySet().stream()
                .filter(run -> known.getOrDefault(run, List.of()).size() < rounds)
                .filter(run -> !isKeptFill(run.spec()))
                .toList());
    for (int round = 1; round < rounds; round++) {
      Collections.rotate(due, -1);
      for (Run run : due) {
        known.computeIfPresent(
            run,
            (key, outcomes) -> {
              if (outcomes.get(0).failure().isEmpty()) {
                outcomes.add(run(key));
              }
              return outcomes;
            });
      }
    }
    return !due.isEmpty();
  }

  /** It is copied the second time, and so has no result. */
  private static boolean isKeptFill(RunSpec spec) {
    return spec.keptFills().isPresent() && spec.workloads().equals(List.of(Workload.FILLRANDOM));
  }

  /**
   * How far rates of the same workload in several rounds lie apart; empty if there is one round.
   */
  Optional<String> spread() {
    List<Double> spreads = new ArrayList<>();
    for (List<Outcome> outcomes : known.values()) {
      for (RunResult first : outcomes.get(0).results()) {
        List<RunResult> results = results(outcomes, first.workload());
        if (results.size() > 1) {
          double least = results.get(0).opsPerSecondDrained();
          double most = results.get(results.size() - 1).opsPerSecondDrained();
          spreads.add(100 * (most - least) / results.get(results.size() / 2).opsPerSecondDrained());
        }
      }
    }
    Collections.sort(spreads);
    return spreads.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "Processes with a store ran %d times, in turns; the figures are those of the round with"
                    .formatted(rounds)
                + " the median rate. The highest and the lowest rate of a workload lie "
                + Figures.count(spreads.get(spreads.size() / 2))
                + " % apart in the median, and "
                + Figures.count(spreads.get(spreads.size() - 1))
                + " % at most.");
  }

  /**
   * The result of one workload of a run within a memory limit, or why there is none. With less
   * memory its cache is smaller. The initial fill is done once for all such runs, so it has no
   * result.
   */
  Attempt attemptOnKeptFill(RunSpec spec, Workload workload, OptionalLong memoryBytes) {
    RunSpec fill =
        spec(
                spec.store(),
                spec.shape(),
                spec.entries(),
                OptionalInt.empty(),
                1,
                spec.terms().bloom(),
                Workload.FILLRANDOM)
            .withKeptFills(keptFills);
    Attempt filled = attempt(fill, Workload.FILLRANDOM);
    return filled.result().isPresent()
        ? attempt(within(memoryBytes, spec).withKeptFills(keptFills), workload, memoryBytes)
        : filled;
  }

  private static RunSpec within(OptionalLong memoryBytes, RunSpec spec) {
    long cache = spec.terms().cacheBytes();
    long most = memoryBytes.isPresent() ? memoryBytes.getAsLong() / CACHE_SHARE : cache;
    return spec.withTerms(spec.terms().withCache(Math.min(cache, most)));
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

  private Outcome run(Run run) {
    progress.accept(
        run.spec().store().label()
            + ": "
            + String.join(", ", run.spec().workloads().stream().map(Workload::label).toList())
            + (run.memoryBytes().isPresent()
                ? " in " + Figures.mib(run.memoryBytes().getAsLong())
                : ""));
    try {
      return new Outcome(runner.apply(run.spec(), run.memoryBytes()), Optional.empty());
    } catch (ChildFailedException e) {
      wrongAnswers |= e.exitCode() == ExitCodes.WRONG_ANSWER;
      return new Outcome(List.of(), Optional.of(String.valueOf(e.getMessage())));
    }
  }
}
