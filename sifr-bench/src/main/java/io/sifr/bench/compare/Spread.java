package io.sifr.bench.compare;

import io.sifr.bench.report.Numbers;
import java.util.List;

/**
 * Figures of several rounds.
 *
 * @param median the one in the middle, or the mean of the two there
 * @param min the smallest
 * @param max the largest
 */
record Spread(double median, double min, double max) {

  /** Of one figure or more. */
  static Spread of(List<Double> figures) {
    List<Double> sorted = figures.stream().sorted().toList();
    int size = sorted.size();
    double median = (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
    return new Spread(median, sorted.get(0), sorted.get(size - 1));
  }

  /** The median, and the range if there is one. */
  String text() {
    String range = min == max ? "" : " (" + Numbers.number(min) + "–" + Numbers.number(max) + ")";
    return Numbers.number(median) + range;
  }
}
