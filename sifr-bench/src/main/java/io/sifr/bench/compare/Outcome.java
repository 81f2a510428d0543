package io.sifr.bench.compare;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Term;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The outcome of one store.
 *
 * @param spec the spec it was run with
 * @param broken terms it cannot meet and was run without
 * @param rounds the results of each round that succeeded, all of the same workloads
 * @param failure why no further round was run, if one failed
 */
public record Outcome(
    RunSpec spec, Set<Term> broken, List<List<RunResult>> rounds, Optional<Failure> failure) {

  /**
   * The reason why a store was left out.
   *
   * @param message what happened
   * @param exitCode of the process that ran it
   */
  public record Failure(String message, int exitCode) {}

  /** Makes immutable copies. */
  public Outcome {
    broken = Set.copyOf(broken);
    rounds = rounds.stream().map(List::copyOf).toList();
  }

  /** The store. */
  public StoreKind store() {
    return spec.store();
  }

  /** The figures of one workload, one per round; none if the store failed before it. */
  List<Double> figures(int workload, Metric metric) {
    return rounds.stream().flatMap(round -> metric.of(round.get(workload)).stream()).toList();
  }
}
