package io.sifr.bench.report;

import io.sifr.bench.report.Block.LinePlot;
import io.sifr.bench.report.Block.Series;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The points of a line that lie within its plot.
 *
 * @param x not descending
 * @param y as many
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Points(double[] x, double[] y) {

  /** The points of a series within the axes of a plot. */
  static Points of(LinePlot plot, Series series) {
    int[] held =
        IntStream.range(0, series.x().size())
            .filter(i -> plot.x().holds(series.x().get(i)) && plot.y().holds(series.y().get(i)))
            .toArray();
    return new Points(
        Arrays.stream(held).mapToDouble(series.x()::get).toArray(),
        Arrays.stream(held).mapToDouble(series.y()::get).toArray());
  }

  int size() {
    return x.length;
  }

  /**
   * Reduces the number of points to about the wanted one, at least four. Keeps the first and the
   * last point, and the lowest and the highest of each range, since a reader looks for outliers.
   */
  Points thinned(int wanted) {
    if (size() <= wanted) {
      return this;
    }
    int ranges = (wanted - 2) / 2;
    int inner = size() - 2;
    int[] kept =
        IntStream.concat(
                IntStream.of(0, size() - 1),
                IntStream.range(0, ranges)
                    .flatMap(
                        s ->
                            extremes(
                                1 + (int) ((long) inner * s / ranges),
                                1 + (int) ((long) inner * (s + 1) / ranges))))
            .sorted()
            .distinct()
            .toArray();
    return new Points(
        Arrays.stream(kept).mapToDouble(i -> x[i]).toArray(),
        Arrays.stream(kept).mapToDouble(i -> y[i]).toArray());
  }

  private IntStream extremes(int from, int to) {
    int lowest = from;
    int highest = from;
    for (int i = from; i < to; i++) {
      lowest = y[i] < y[lowest] ? i : lowest;
      highest = y[i] > y[highest] ? i : highest;
    }
    return IntStream.of(lowest, highest);
  }
}
