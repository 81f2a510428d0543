package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Collects the results of an experiment. Not thread-safe. */
final class Findings {
  /** Another store is better from this factor on; less is noise. */
  private static final double LEAST_LEAD = 1.05;

  /** What the names of this project's stores begin with. */
  private static final String OURS = StoreKind.SIFR.label();

  private final Scale scale;
  private final List<Block> blocks = new ArrayList<>();
  private final List<Claim> claims = new ArrayList<>();
  private final List<Loss> losses = new ArrayList<>();
  private @Nullable Block summary;

  Findings(Scale scale) {
    this.scale = scale;
  }

  /** Adds the paper's statement. */
  Findings paper(String text) {
    return text("The paper: " + text);
  }

  /** Which of them are comparable with these measurements, and which are not. */
  Findings comparable(String text) {
    return text("Comparable: " + text);
  }

  Findings text(String text) {
    blocks.add(new Block.Text(text));
    return this;
  }

  Findings missing(String text) {
    blocks.add(new Block.Missing(text));
    return this;
  }

  Findings add(Block block) {
    blocks.add(block);
    return this;
  }

  /** Adds a plot of lines, unless there are none. */
  Findings lines(String title, Block.Axis x, Block.Axis y, List<Block.Series> series) {
    List<Block.Series> drawn = series.stream().filter(line -> !line.x().isEmpty()).toList();
    return drawn.isEmpty() ? this : add(new Block.LinePlot(title, x, y, drawn));
  }

  /**
   * What a summary shows of the experiment, instead of its first table.
   *
   * @param corner title of the first column
   */
  Findings summary(String corner, List<String> columns, Map<String, Map<String, Double>> rows) {
    summary = table(corner, columns, rows);
    return this;
  }

  /** The same as a table that the report has. */
  Findings summary(Block.Table table) {
    summary = table;
    return this;
  }

  /** A table of figures, some of which may be missing. */
  static Block.Table table(
      String corner, List<String> columns, Map<String, Map<String, Double>> rows) {
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

  /** The result of an attempt; if there is none, reports why. */
  Optional<RunResult> result(String what, Attempt attempt) {
    if (attempt.result().isEmpty()) {
      missing(what + ": " + attempt.failure());
    }
    return attempt.result();
  }

  /** A figure of an attempt; if there is no result, reports why and returns null. */
  @Nullable Double figure(String what, Attempt attempt, ToDoubleFunction<RunResult> figure) {
    return result(what, attempt).map(figure::applyAsDouble).filter(Double::isFinite).orElse(null);
  }

  /** A figure of each store, by its name; without those that have none, of which it reports why. */
  Map<String, Double> figures(
      List<StoreKind> stores,
      Function<StoreKind, Attempt> attempts,
      ToDoubleFunction<RunResult> figure) {
    Map<String, Double> figures = new LinkedHashMap<>();
    for (StoreKind store : stores) {
      Double value = figure(store.label(), attempts.apply(store), figure);
      if (value != null) {
        figures.put(store.label(), value);
      }
    }
    return figures;
  }

  /** Judges a statement on bytes or counts. */
  Findings claim(String paper, String figure, String statement, Measured measured) {
    claims.add(Claim.of(paper, figure, statement, measured));
    return this;
  }

  /** Judges a statement on time, which nothing is known of when there is little data. */
  Findings timeClaim(String paper, String figure, String statement, Measured measured) {
    return claimOfMuchData(paper, figure, statement, measured);
  }

  /** Judges a statement on anything else of which nothing is known then. */
  Findings claimOfMuchData(String paper, String figure, String statement, Measured measured) {
    return claim(
        paper,
        figure,
        statement,
        scale.isLittleData() ? Measured.nothing(measured.text()) : measured);
  }

  /** Notes a loss if one of the other stores is better than Sifr. */
  Findings contest(String where, Measure measure, Map<String, Double> figures) {
    return contest(where, measure, OURS, figures);
  }

  /** The same for one of several forms of Sifr. */
  Findings contest(String where, Measure measure, String ours, Map<String, Double> figures) {
    Double figure = figures.get(ours);
    if (figure == null || (measure.isOfTime() && scale.isLittleData())) {
      return this;
    }
    Loss worst = null;
    for (Map.Entry<String, Double> other : figures.entrySet()) {
      double lead = measure.lead(other.getValue(), figure);
      if (!other.getKey().startsWith(OURS)
          && Double.isFinite(lead)
          && lead >= (worst == null ? LEAST_LEAD : worst.lead())) {
        worst = new Loss(where, figure, other.getKey(), other.getValue(), lead);
      }
    }
    if (worst != null) {
      losses.add(worst);
    }
    return this;
  }

  /** A figure as a cell of a table. */
  static String cell(@Nullable Double figure) {
    return figure == null ? Numbers.NONE : Numbers.number(figure);
  }

  List<Block> blocks() {
    // One failure may affect several figures; it is reported once.
    return blocks.stream().distinct().toList();
  }

  List<Claim> claims() {
    return List.copyOf(claims);
  }

  List<Loss> losses() {
    return List.copyOf(losses);
  }

  /** What a summary shows: a table, or else why there is none. */
  Optional<Block> summary() {
    return summary != null
        ? Optional.of(summary)
        : blocks.stream()
            .filter(Block.Table.class::isInstance)
            .filter(block -> !((Block.Table) block).rows().isEmpty())
            .findFirst()
            .or(() -> blocks.stream().filter(Block.Missing.class::isInstance).findFirst());
  }
}
