package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Figures by the names of rows and columns; any of them may be missing. Not thread-safe. */
final class Grid {
  private final String corner;
  private final List<String> columns;
  private final Map<String, Map<String, Double>> rows = new LinkedHashMap<>();

  /**
   * A grid without rows.
   *
   * @param corner title of the column with the names of rows
   */
  Grid(String corner, List<String> columns) {
    this.corner = corner;
    this.columns = List.copyOf(columns);
  }

  /** Adds a row, or replaces it. */
  Grid row(String name, Map<String, Double> figures) {
    rows.put(name, new LinkedHashMap<>(figures));
    return this;
  }

  /** Adds a figure to a row, which is created if it is new; not one that is missing or infinite. */
  Grid put(String row, String column, @Nullable Number figure) {
    Map<String, Double> figures = rows.computeIfAbsent(row, name -> new LinkedHashMap<>());
    if (figure != null && Double.isFinite(figure.doubleValue())) {
      figures.put(column, figure.doubleValue());
    }
    return this;
  }

  /** Adds a column. */
  Grid column(String name, Map<String, Double> figures) {
    figures.forEach((row, figure) -> put(row, name, figure));
    return this;
  }

  /** The figures of a row, by column. */
  Map<String, Double> row(String name) {
    return rows.getOrDefault(name, Map.of());
  }

  @Nullable Double get(String row, String column) {
    return row(row).get(column);
  }

  /** The names of the rows. */
  List<String> rows() {
    return List.copyOf(rows.keySet());
  }

  List<String> columns() {
    return columns;
  }

  /** The same with some of the rows, in that order. */
  Grid only(String... names) {
    Grid some = new Grid(corner, columns);
    for (String name : names) {
      some.row(name, row(name));
    }
    return some;
  }

  /** The same with these rows after its own. */
  Grid and(Grid other) {
    Grid both = new Grid(corner, columns);
    rows.forEach(both::row);
    other.rows.forEach(both::row);
    return both;
  }

  /** The same with columns as rows. */
  Grid turned() {
    Grid turned = new Grid("", rows());
    columns.forEach(column -> turned.row(column, Map.of()));
    rows.forEach(turned::column);
    return turned;
  }

  Block.Table table() {
    List<String> headers = new ArrayList<>(List.of(corner));
    headers.addAll(columns);
    List<List<String>> cells = new ArrayList<>();
    rows.forEach(
        (name, figures) -> {
          List<String> row = new ArrayList<>(List.of(name));
          columns.forEach(column -> row.add(cell(figures.get(column))));
          cells.add(row);
        });
    return new Block.Table(headers, cells);
  }

  /** A figure as a cell of a table. */
  static String cell(@Nullable Double figure) {
    return figure == null ? Numbers.NONE : Numbers.number(figure);
  }

  /** A plot with a group of bars for each row, and a bar in it for each column. */
  Block.BarPlot bars(String title, Block.Axis axis) {
    List<Block.Bars> bars = new ArrayList<>();
    for (String column : columns) {
      bars.add(new Block.Bars(column, rows.values().stream().map(row -> row.get(column)).toList()));
    }
    return new Block.BarPlot(title, axis, rows(), bars);
  }

  /** A figure to be judged. */
  Measured.Reading reading(String row, String column) {
    return Measured.value(row + ": " + column, get(row, column));
  }

  /** The ratio of two figures of a row, the first divided by the second. */
  Measured.Reading ratio(String row, String column, String other) {
    return Measured.ratio(row + ": " + column, get(row, column), other, get(row, other));
  }

  /** The ratio of two figures of a column, the first divided by the second. */
  Measured.Reading ratioOfRows(String column, String row, String other) {
    return Measured.ratio(column + ": " + row, get(row, column), other, get(other, column));
  }
}
