package io.sifr.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Compares stores in one metric of one workload. Ratios are taken between figures of the same
 * round, so that whatever slows down a round cancels out.
 */
final class Standing {
  private final List<Outcome> outcomes;
  private final int workload;
  private final Metric metric;

  Standing(List<Outcome> outcomes, int workload, Metric metric) {
    this.outcomes = outcomes;
    this.workload = workload;
    this.metric = metric;
  }

  /** The figures of a store, if there are any. */
  Optional<Spread> figures(Outcome outcome) {
    List<Double> figures = outcome.figures(workload, metric);
    return figures.isEmpty() ? Optional.empty() : Optional.of(Spread.of(figures));
  }

  /** The first store's figures divided by those of another, round by round, if both have any. */
  Optional<Spread> firstAgainst(Outcome other) {
    List<Double> first = outcomes.get(0).figures(workload, metric);
    List<Double> second = other.figures(workload, metric);
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < Math.min(first.size(), second.size()); round++) {
      double ratio = first.get(round) / second.get(round);
      if (Double.isFinite(ratio)) {
        ratios.add(ratio);
      }
    }
    return ratios.isEmpty() ? Optional.empty() : Optional.of(Spread.of(ratios));
  }

  /** The best of the other stores, if any of them has a figure. */
  Optional<Outcome> bestOther() {
    Outcome best = null;
    double bestFigure = 0;
    for (Outcome outcome : outcomes.subList(1, outcomes.size())) {
      Optional<Spread> figures = figures(outcome);
      if (figures.isPresent() && (best == null || isBetter(figures.get().median(), bestFigure))) {
        best = outcome;
        bestFigure = figures.get().median();
      }
    }
    return Optional.ofNullable(best);
  }

  /** Whether the first store is worse than another, by the median ratio. */
  boolean firstLosesTo(Outcome other) {
    return firstAgainst(other).map(ratio -> isBetter(1, ratio.median())).orElse(false);
  }

  /** Whether the first store is better than another, by the median ratio. */
  boolean firstBeats(Outcome other) {
    return firstAgainst(other).map(ratio -> isBetter(ratio.median(), 1)).orElse(false);
  }

  private boolean isBetter(double figure, double than) {
    return metric.moreIsBetter() ? figure > than : figure < than;
  }
}
