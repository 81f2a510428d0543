package io.sifr.bench.report;

import static java.lang.Double.NEGATIVE_INFINITY;
import static java.lang.Double.POSITIVE_INFINITY;

import io.sifr.bench.report.Block.BarPlot;
import io.sifr.bench.report.Block.Bars;
import io.sifr.bench.report.Block.LinePlot;
import io.sifr.bench.report.Block.Plot;
import io.sifr.bench.report.Block.Series;
import io.sifr.bench.report.Block.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** The content of a plot as text and figures. */
final class Figures {
  /** The text for a plot without points. */
  static final String NOTHING_TO_DRAW = "There is no point within the axes.";

  private static final int POSITIONS = 8;

  private Figures() {}

  /** The figures of a plot, one column per series; a selection for long lines. */
  static Table table(Plot plot) {
    return plot instanceof LinePlot lines ? lines(lines) : bars((BarPlot) plot);
  }

  private static Table bars(BarPlot plot) {
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < plot.categories().size(); i++) {
      List<String> row = new ArrayList<>();
      row.add(plot.categories().get(i));
      for (Bars bars : plot.series()) {
        row.add(Numbers.cell(bars.values().get(i)));
      }
      rows.add(row);
    }
    return new Table(headers("", plot), rows);
  }

  private static Table lines(LinePlot plot) {
    double[] positions = positions(plot);
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < positions.length; i++) {
      List<String> row = new ArrayList<>();
      row.add(Numbers.cell(positions[i]));
      for (Series series : plot.series()) {
        row.add(nearest(series, positions, i));
      }
      rows.add(row);
    }
    return new Table(headers(plot.x().label(), plot), rows);
  }

  private static List<String> headers(String first, Plot plot) {
    List<String> headers = new ArrayList<>();
    headers.add(first);
    headers.addAll(plot.seriesNames());
    return headers;
  }

  /** The first and the last x of all series, and some in between. */
  private static double[] positions(LinePlot plot) {
    double[] all =
        plot.series().stream()
            .flatMap(series -> series.x().stream())
            .mapToDouble(Double::doubleValue)
            .filter(Double::isFinite)
            .sorted()
            .toArray();
    Set<String> labels = new HashSet<>();
    double[] readingDifferent =
        Arrays.stream(all).filter(x -> labels.add(Numbers.cell(x))).toArray();
    return readingDifferent.length <= POSITIONS
        ? readingDifferent
        : IntStream.range(0, POSITIONS)
            .mapToDouble(i -> all[(int) ((all.length - 1L) * i / (POSITIONS - 1))])
            .distinct()
            .toArray();
  }

  /** The y nearest to a position, unless it is nearer to another position. */
  private static String nearest(Series series, double[] positions, int position) {
    double wanted = positions[position];
    double from = position == 0 ? NEGATIVE_INFINITY : (positions[position - 1] + wanted) / 2;
    double to =
        position == positions.length - 1
            ? POSITIVE_INFINITY
            : (wanted + positions[position + 1]) / 2;
    int best = -1;
    for (int i = 0; i < series.x().size(); i++) {
      double x = series.x().get(i);
      if (x >= from
          && x <= to
          && (best < 0 || Math.abs(x - wanted) < Math.abs(series.x().get(best) - wanted))) {
        best = i;
      }
    }
    return best < 0 ? Numbers.NONE : Numbers.cell(series.y().get(best));
  }

  /** Whether there is anything to draw. */
  static boolean isEmpty(Plot plot) {
    return plot instanceof LinePlot lines
        ? lines.series().stream().allMatch(series -> Points.of(lines, series).size() == 0)
        : ((BarPlot) plot)
            .series().stream()
                .flatMap(bars -> bars.values().stream())
                .noneMatch(value -> value != null && plot.y().holds(value));
  }

  /** Notes about points and bars that are missing in the drawing. */
  static List<String> notes(Plot plot) {
    return plot instanceof LinePlot lines ? dropped(lines) : absent((BarPlot) plot);
  }

  private static List<String> dropped(LinePlot plot) {
    return plot.series().stream()
        .filter(series -> Points.of(plot, series).size() < series.x().size())
        .map(
            series ->
                "%s: %d of %d points are outside the axes."
                    .formatted(
                        series.name(),
                        series.x().size() - Points.of(plot, series).size(),
                        series.x().size()))
        .toList();
  }

  private static List<String> absent(BarPlot plot) {
    List<String> notes = new ArrayList<>();
    for (Bars bars : plot.series()) {
      List<String> without =
          IntStream.range(0, plot.categories().size())
              .filter(i -> isAbsent(plot, bars, i))
              .mapToObj(plot.categories()::get)
              .toList();
      if (!without.isEmpty()) {
        notes.add("%s: no bar for %s.".formatted(bars.name(), String.join(", ", without)));
      }
    }
    return notes;
  }

  private static boolean isAbsent(BarPlot plot, Bars bars, int category) {
    Double value = bars.values().get(category);
    return value == null || !plot.y().holds(value);
  }
}
