package io.sifr.bench.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A piece of a section. */
public sealed interface Block {

  /**
   * A paragraph of plain text.
   *
   * @param text one paragraph, without markup
   */
  record Text(String text) implements Block {}

  /**
   * Something that could not be measured, to be seen at once.
   *
   * @param text what is missing, and why
   */
  record Missing(String text) implements Block {}

  /**
   * Text in lines that are to stay as they are, commands for instance.
   *
   * @param text the lines
   */
  record Code(String text) implements Block {}

  /**
   * A table. The first column holds names, the others figures.
   *
   * @param headers of the columns
   * @param rows cells from left to right; as many as there are headers
   */
  record Table(List<String> headers, List<List<String>> rows) implements Block {

    /** A copy that nobody can change; checks that the rows fit. */
    public Table {
      headers = List.copyOf(headers);
      rows = rows.stream().map(List::copyOf).toList();
      for (List<String> row : rows) {
        if (row.size() != headers.size()) {
          throw new IllegalArgumentException(
              row.size() + " cells in a row of a table with " + headers.size() + " columns");
        }
      }
    }
  }

  /**
   * Points joined by lines.
   *
   * @param title what is shown
   * @param x the horizontal axis
   * @param y the vertical axis
   * @param series the lines
   */
  record LinePlot(String title, Axis x, Axis y, List<Series> series) implements Block {

    /** A copy that nobody can change. */
    public LinePlot {
      series = List.copyOf(series);
    }
  }

  /**
   * Groups of bars.
   *
   * @param title what is shown
   * @param y the vertical axis
   * @param categories names of the groups, from left to right
   * @param series one bar in each group
   */
  record BarPlot(String title, Axis y, List<String> categories, List<Bars> series)
      implements Block {

    /** A copy that nobody can change; checks that the series fit. */
    public BarPlot {
      categories = List.copyOf(categories);
      series = List.copyOf(series);
      for (Bars bars : series) {
        if (bars.values().size() != categories.size()) {
          throw new IllegalArgumentException(
              "%s has %d values for %d categories"
                  .formatted(bars.name(), bars.values().size(), categories.size()));
        }
      }
    }
  }

  /**
   * An axis.
   *
   * @param label with the unit
   * @param logarithmic whether equal distances mean equal ratios
   */
  record Axis(String label, boolean logarithmic) {
    /** An axis on which equal distances mean equal differences. */
    public static Axis linear(String label) {
      return new Axis(label, false);
    }

    /** An axis on which equal distances mean equal ratios. */
    public static Axis logarithmic(String label) {
      return new Axis(label, true);
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

    /** A copy that nobody can change; checks that there are as many of both. */
    public Series {
      x = List.copyOf(x);
      y = List.copyOf(y);
      if (x.size() != y.size()) {
        throw new IllegalArgumentException(
            "%s has %d x and %d y values".formatted(name, x.size(), y.size()));
      }
    }
  }

  /**
   * The bars of one colour in a {@link BarPlot}.
   *
   * @param name for the legend
   * @param values one a category; null where there is none
   */
  record Bars(String name, List<@Nullable Double> values) {}
}
