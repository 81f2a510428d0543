package io.sifr.bench.compare;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.process.ChildFailedException;
import io.sifr.bench.process.ChildRun;
import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Term;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Runs the same workloads on several stores in rounds. In each round every store runs once, in an
 * order that changes from round to round. A store that fails is left out from then on; the others
 * continue.
 */
public final class Comparison {
  /** Receives the runs as they begin. */
  @FunctionalInterface
  public interface Progress {
    /** The run of a store in a round begins; both counts begin at 1. */
    void begins(StoreKind store, int round, int run, int runs);
  }

  private final List<RunSpec> specs;
  private final int rounds;
  private final BiFunction<RunSpec, OptionalLong, List<RunResult>> runner;
  private final OptionalLong memoryBytes;

  /**
   * A comparison.
   *
   * @param specs one per store, otherwise equal
   * @param rounds how often each runs, 1 or more
   * @param memoryBytes the memory each may take; no limit if empty
   */
  public Comparison(List<RunSpec> specs, int rounds, OptionalLong memoryBytes, ChildRun runs) {
    this(specs, rounds, memoryBytes, runs::run);
  }

  Comparison(
      List<RunSpec> specs,
      int rounds,
      OptionalLong memoryBytes,
      BiFunction<RunSpec, OptionalLong, List<RunResult>> runner) {
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds is " + rounds + "; allowed: 1 and more");
    }
    this.specs = List.copyOf(specs);
    this.rounds = rounds;
    this.memoryBytes = memoryBytes;
    this.runner = runner;
  }

  /** Runs everything. Returns the outcome of each store, in the order of the specs. */
  public List<Outcome> run(Progress progress) {
    Map<StoreKind, List<List<RunResult>>> results = new LinkedHashMap<>();
    Map<StoreKind, Outcome.Failure> failures = new LinkedHashMap<>();
    for (RunSpec spec : specs) {
      results.put(spec.store(), new ArrayList<>());
      try {
        spec.store().checkTerms(kept(spec).terms());
      } catch (IllegalArgumentException e) {
        failures.put(
            spec.store(), new Outcome.Failure(String.valueOf(e.getMessage()), ExitCodes.USAGE));
      }
    }
    int run = 0;
    for (int round = 0; round < rounds; round++) {
      List<RunSpec> turn = new ArrayList<>(specs);
      Collections.rotate(turn, -round);
      for (RunSpec spec : turn) {
        run++;
        if (failures.containsKey(spec.store())) {
          continue;
        }
        progress.begins(spec.store(), round + 1, run, rounds * specs.size());
        try {
          results
              .computeIfAbsent(spec.store(), store -> new ArrayList<>())
              .add(runner.apply(kept(spec), memoryBytes));
        } catch (ChildFailedException e) {
          failures.put(
              spec.store(), new Outcome.Failure(String.valueOf(e.getMessage()), e.exitCode()));
        }
      }
    }
    return specs.stream()
        .map(
            spec ->
                new Outcome(
                    kept(spec),
                    broken(spec),
                    results.getOrDefault(spec.store(), List.of()),
                    Optional.ofNullable(failures.get(spec.store()))))
        .toList();
  }

  /** The spec for a store, with only the terms it can meet. */
  private static RunSpec kept(RunSpec spec) {
    return spec.withTerms(terms -> terms.keptBy(spec.store()));
  }

  private static Set<Term> broken(RunSpec spec) {
    Set<Term> broken = spec.terms().demands();
    broken.removeIf(spec.store()::supports);
    return broken;
  }
}
