package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The measurements of processes with a store. Each runs once when it is needed first, and serves
 * all experiments that need it. Then the runs of an experiment are repeated, in turns, as often as
 * is wanted and there is time for; those of the shortest experiments first, so that many are. Not
 * thread-safe.
 */
final class Rounds {
  /**
   * The work of a process.
   *
   * @param memoryBytes its limit; none if empty
   */
  record Run(RunSpec spec, OptionalLong memoryBytes) {}

  /** The result of it. */
  record Outcome(List<RunResult> results, Optional<String> failure) {}

  private final int most;
  private final BooleanSupplier isTimeUp;
  private final Function<Run, Outcome> runner;
  private final Consumer<String> progress;
  private final Map<Run, List<Outcome>> known = new LinkedHashMap<>();

  /** The experiment that needed each run first, and how long those of an experiment have taken. */
  private final Map<String, Set<Run>> firstNeeded = new LinkedHashMap<>();

  private final Map<String, Long> nanos = new HashMap<>();
  private final Set<String> needing = new HashSet<>();
  private String experiment = "";

  /**
   * No rounds yet.
   *
   * @param most how often each run is done, 1 or more
   * @param isTimeUp whether no further round may begin
   * @param progress receives the next round after the first
   */
  Rounds(
      int most,
      BooleanSupplier isTimeUp,
      Function<Run, Outcome> runner,
      Consumer<String> progress) {
    if (most < 1) {
      throw new IllegalArgumentException("rounds is " + most + "; allowed: 1 and more");
    }
    this.most = most;
    this.isTimeUp = isTimeUp;
    this.runner = runner;
    this.progress = progress;
  }

  /** An experiment begins, which needs the runs from now on. */
  void begin(String name) {
    experiment = name;
  }

  /** Whether an experiment has needed any runs. */
  boolean isNeededBy(String name) {
    return needing.contains(name);
  }

  /** The experiment needs a run; its first round is done now, unless it was before. */
  void need(Run run) {
    needing.add(experiment);
    if (!known.containsKey(run)) {
      firstNeeded.computeIfAbsent(experiment, name -> new LinkedHashSet<>()).add(run);
      long start = System.nanoTime();
      addRound(run);
      nanos.merge(experiment, System.nanoTime() - start, Long::sum);
    }
  }

  /** Why one of the rounds of a run has no results, if one has none. */
  Optional<String> failure(Run run) {
    return known.getOrDefault(run, List.of()).stream()
        .map(Outcome::failure)
        .flatMap(Optional::stream)
        .findFirst();
  }

  /**
   * The result of a workload in the round with the median rate, the lower one of two; of the last
   * such workload, if there are several in the run. Empty if there is none.
   */
  Optional<RunResult> median(Run run, String workload) {
    List<RunResult> results = results(known.getOrDefault(run, List.of()), workload);
    return results.isEmpty()
        ? Optional.empty()
        : Optional.of(results.get((results.size() - 1) / 2));
  }

  /** The result of a workload in each round, by ascending rate. */
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
   * Does the rounds that are due of all runs so far. What was measured of them before is out of
   * date then.
   *
   * @return whether there were any
   */
  boolean repeat() {
    List<String> shortestFirst = new ArrayList<>(firstNeeded.keySet());
    shortestFirst.sort(Comparator.comparingLong(name -> nanos.getOrDefault(name, 0L)));
    boolean isRepeated = false;
    for (int round = 2; round <= most; round++) {
      for (String name : shortestFirst) {
        List<Run> due = due(name, round);
        // A round that has begun is done to its end, so that all stores have as many.
        if (!due.isEmpty() && !isTimeUp.getAsBoolean()) {
          progress.accept(name + ", round " + round);
          due.forEach(this::addRound);
          isRepeated = true;
        }
      }
    }
    return isRepeated;
  }

  /** Runs of an experiment that lack a round; each round begins with another store. */
  private List<Run> due(String name, int round) {
    List<Run> due =
        new ArrayList<>(
            firstNeeded.getOrDefault(name, Set.of()).stream()
                .filter(run -> known.getOrDefault(run, List.of()).size() < round)
                .filter(run -> !run.spec().isKeptFill())
                .filter(run -> failure(run).isEmpty())
                .toList());
    Collections.rotate(due, 1 - round);
    return due;
  }

  private void addRound(Run run) {
    known.computeIfAbsent(run, added -> new ArrayList<>()).add(runner.apply(run));
  }

  /**
   * How far rates of the same workload in several rounds lie apart; empty if there is one round.
   */
  Optional<String> spread() {
    List<Double> spreads = new ArrayList<>();
    int fewest = most;
    for (Map.Entry<Run, List<Outcome>> rounds : known.entrySet()) {
      List<Outcome> outcomes = rounds.getValue();
      if (!rounds.getKey().spec().isKeptFill() && failure(rounds.getKey()).isEmpty()) {
        fewest = Math.min(fewest, outcomes.size());
      }
      for (RunResult first : outcomes.get(0).results()) {
        List<RunResult> results = results(outcomes, first.workload());
        if (results.size() > 1) {
          double least = results.get(0).opsPerSecondDrained();
          double highest = results.get(results.size() - 1).opsPerSecondDrained();
          double median = results.get((results.size() - 1) / 2).opsPerSecondDrained();
          spreads.add(100 * (highest - least) / median);
        }
      }
    }
    Collections.sort(spreads);
    return spreads.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "Processes with a store ran %s times, in turns; the figures are those of the round with"
                    .formatted(fewest == most ? most : fewest + " to " + most)
                + " the median rate. The highest and the lowest rate of a workload lie "
                + Figures.count(spreads.get(spreads.size() / 2))
                + " % apart in the median, and "
                + Figures.count(spreads.get(spreads.size() - 1))
                + " % at most.");
  }
}
