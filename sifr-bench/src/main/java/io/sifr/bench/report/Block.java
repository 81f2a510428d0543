package io.sifr.bench.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A piece of a section. */
public sealed interface Block {
  /** By which name templates know it. */
  default String kind() {
    return this instanceof Plot ? "plot" : getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  /**
   * A paragraph of plain text.
   *
   * @param text one paragraph, without markup
   */
  record Text(String text) implements Block {}

  /**
   * A figure that could not be measured, shown prominently.
   *
   * @param text what is missing, and why
   */
  record Missing(String text) implements Block {}

  /**
   * Preformatted lines, for instance commands.
   *
   * @param text the lines
   */
  record Code(String text) implements Block {}

  /**
   * A table. The first column contains names, the others figures or remarks.
   *
   * @param headers of the columns
   * @param rows cells from left to right; as many as there are headers
   */
  record Table(List<String> headers, List<List<String>> rows) implements Block {
    // "12", "-1.5", "1.2 GiB", "3.4 ×", "85%", "0.3 ± 0.1" and the signs for none.
    private static final Pattern FIGURE =
        Pattern.compile("|[-–—]|[-+±~<>≤≥]?\\s?\\d[\\d.,]*\\s?(\\S{0,6}|±.*)");

    /** A copy that nobody can change; checks that the rows fit. */
    public Table {
      headers = List.copyOf(headers);
      rows = rows.stream().map(List::copyOf).toList();
      if (headers.isEmpty()) {
        throw new IllegalArgumentException("a table has no column");
      }
      for (List<String> row : rows) {
        if (row.size() != headers.size()) {
          throw new IllegalArgumentException(
              row.size() + " cells in a row of a table with " + headers.size() + " columns");
        }
      }
    }

    /** For each column whether nearly all cells are figures, which are aligned to the right. */
    public List<Boolean> figureColumns() {
      return IntStream.range(0, headers.size()).mapToObj(this::holdsFigures).toList();
    }

    private boolean holdsFigures(int column) {
      long figures = rows.stream().filter(row -> FIGURE.matcher(row.get(column)).matches()).count();
      return column > 0 && 4 * figures > 3L * rows.size();
    }
  }

  /** A plot of several series over the same axes. */
  sealed interface Plot extends Block {

    /** What is shown. */
    String title();

    /** The vertical axis. */
    Axis y();

    /** The names of the series, each different, in the order of the legend. */
    List<String> seriesNames();

    /** Whether there is nothing to draw. */
    default boolean isEmpty() {
      return Figures.isEmpty(this);
    }

    /** Its figures, one column per series; a selection for long lines. */
    default Table figures() {
      return Figures.table(this);
    }

    /** Notes about points and bars that are missing in the drawing. */
    default List<String> notes() {
      return Figures.notes(this);
    }
  }

  /**
   * Points joined by lines.
   *
   * @param title what is shown
   * @param x the horizontal axis
   * @param y the vertical axis
   * @param series the lines, each with a name of its own
   */
  record LinePlot(String title, Axis x, Axis y, List<Series> series) implements Plot {

    /** A copy that nobody can change; checks the names. */
    public LinePlot {
      series = List.copyOf(series);
      checkDifferent("series", series.stream().map(Series::name).toList());
    }

    @Override
    public List<String> seriesNames() {
      return series.stream().map(Series::name).toList();
    }
  }

  /**
   * Groups of bars.
   *
   * @param title what is shown
   * @param y the vertical axis
   * @param categories names of the groups, each different, from left to right
   * @param series one bar in each group, each with a name of its own
   */
  record BarPlot(String title, Axis y, List<String> categories, List<Bars> series) implements Plot {

    /** A copy that nobody can change; checks that the series fit, and the names. */
    public BarPlot {
      categories = List.copyOf(categories);
      series = List.copyOf(series);
      checkDifferent("categories", categories);
      checkDifferent("series", series.stream().map(Bars::name).toList());
      for (Bars bars : series) {
        if (bars.values().size() != categories.size()) {
          throw new IllegalArgumentException(
              "%s has %d values for %d categories"
                  .formatted(bars.name(), bars.values().size(), categories.size()));
        }
      }
    }

    @Override
    public List<String> seriesNames() {
      return series.stream().map(Bars::name).toList();
    }
  }

  /**
   * An axis.
   *
   * @param label with the unit
   * @param logarithmic whether equal distances mean equal ratios; what is not above zero has no
   *     place on such an axis
   */
  record Axis(String label, boolean logarithmic) {
    // Beyond, there are no prefixes of units, and drawing libraries take minutes to find ticks.
    private static final double LARGEST = 1e18;
    private static final double LEAST_LOGARITHMIC = 1e-12;

    /** An axis on which equal distances mean equal differences. */
    public static Axis linear(String label) {
      return new Axis(label, false);
    }

    /** An axis on which equal distances mean equal ratios. */
    public static Axis logarithmic(String label) {
      return new Axis(label, true);
    }

    /** Whether a value has a place on it. */
    boolean holds(double value) {
      return Math.abs(value) <= LARGEST && (!logarithmic || value >= LEAST_LOGARITHMIC);
    }
  }

  /**
   * A line of a {@link LinePlot}.
   *
   * @param name for the legend
   * @param x not descending
   * @param y as many
   */
  record Series(String name, List<Double> x, List<Double> y) {

    /** A copy that nobody can change; checks the order, and that there are as many of both. */
    public Series {
      x = List.copyOf(x);
      y = List.copyOf(y);
      if (x.size() != y.size()) {
        throw new IllegalArgumentException(
            "%s has %d x and %d y values".formatted(name, x.size(), y.size()));
      }
      for (int i = 1; i < x.size(); i++) {
        if (x.get(i) < x.get(i - 1)) {
          throw new IllegalArgumentException(
              "%s goes back from x = %s to %s".formatted(name, x.get(i - 1), x.get(i)));
        }
      }
    }
  }

  /**
   * The bars of one colour in a {@link BarPlot}.
   *
   * @param name for the legend
   * @param values one a category; null where there is none
   */
  record Bars(String name, List<@Nullable Double> values) {

    /** A copy that nobody can change. */
    public Bars {
      values = Collections.unmodifiableList(new ArrayList<>(values));
    }
  }

  private static void checkDifferent(String what, List<String> names) {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw new IllegalArgumentException("two " + what + " of a plot are named " + name);
      }
    }
  }
}
