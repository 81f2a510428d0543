package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Collects the results of an experiment. Not thread-safe. */
final class Findings {
  private final List<Block> blocks = new ArrayList<>();

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

  /** A figure as a cell of a table. */
  static String cell(@Nullable Double figure) {
    return figure == null ? Numbers.NONE : Numbers.number(figure);
  }

  List<Block> blocks() {
    // One failure may affect several figures; it is reported once.
    return blocks.stream().distinct().toList();
  }
}
