package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Collects the results of an experiment. Not thread-safe. */
final class Findings {
  /** Another store is better from this factor on; less is noise. */
  private static final double LEAST_LEAD = 1.05;

  /** The beginning of the names of this project's stores. */
  private static final String OURS = StoreKind.SIFR.label();

  private final Scale scale;
  private final List<Block> blocks = new ArrayList<>();
  private final List<Claim> claims = new ArrayList<>();
  private final List<Loss> losses = new ArrayList<>();
  private final Map<String, Object> facts = new HashMap<>();
  private @Nullable Block summary;

  Findings(Scale scale) {
    this.scale = scale;
  }

  /** A figure that the description of the experiment has to name. */
  Findings fact(String name, Object value) {
    facts.put(name, value);
    return this;
  }

  Map<String, Object> facts() {
    return facts;
  }

  /** Adds paragraphs before all blocks, and one after them. */
  Findings between(List<String> before, String after) {
    blocks.addAll(0, before.stream().map(Block.Text::new).toList());
    return text(after);
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

  /** Adds a table. */
  Findings table(Grid grid) {
    return add(grid.table());
  }

  /** What a summary shows of the experiment, instead of its first table. */
  Findings summary(Grid grid) {
    return summary(grid.table());
  }

  /** The same in the table that experiments with the usual stores as columns share. */
  Findings sharedSummary(Grid grid) {
    List<String> stores = Laboratory.LSM_STORES.stream().map(StoreKind::label).toList();
    return summary(new Grid("", stores).and(grid));
  }

  /** The same with any table. */
  Findings summary(Block.Table table) {
    summary = table;
    return this;
  }

  /** The result of an attempt; if there is none, reports why. */
  Optional<RunResult> result(String what, Attempt attempt) {
    if (attempt.result().isEmpty()) {
      missing(what + ": " + attempt.failure());
    }
    return attempt.result();
  }

  /** Judges a statement on bytes or counts. */
  Findings claim(String source, String statement, Measured measured) {
    claims.add(Claim.of(source, statement, measured));
    return this;
  }

  /** Judges a statement on time, which nothing is known of when there is little data. */
  Findings timeClaim(String source, String statement, Measured measured) {
    return claimOfMuchData(source, statement, measured);
  }

  /** Judges a statement on anything else of which nothing is known then. */
  Findings claimOfMuchData(String source, String statement, Measured measured) {
    return claim(
        source, statement, scale.isLittleData() ? Measured.nothing(measured.text()) : measured);
  }

  /** Notes a loss if one of the other stores is better than Sifr. */
  Findings contest(String where, Measure measure, Map<String, Double> figures) {
    return contest(where, measure, OURS, figures);
  }

  /** The same for some rows of a grid. */
  Findings contests(String prefix, Measure measure, Grid grid, List<String> rows) {
    rows.forEach(row -> contest(prefix + row, measure, grid.row(row)));
    return this;
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
