package io.sifr.bench.experiment;

import io.sifr.bench.report.Numbers;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The figures that a run has for a statement.
 *
 * @param text the figures in words
 * @param agrees whether they agree with the statement; empty if a figure is missing
 */
record Measured(String text, Optional<Boolean> agrees) {
  /** No figure at all. */
  static Measured nothing(String why) {
    return new Measured(why, Optional.empty());
  }

  /** Something that was observed or not. */
  static Measured fact(String text, boolean agrees) {
    return new Measured(text, Optional.of(agrees));
  }

  /** A figure that is within the bounds if it agrees. */
  static Measured value(String name, @Nullable Double figure, double least, double most) {
    return figure == null
        ? nothing(name + ": not measured")
        : fact(name + " " + Numbers.number(figure), figure >= least && figure <= most);
  }

  /**
   * Two figures whose ratio, the first divided by the second, is within the bounds if they agree.
   */
  static Measured ratio(
      String name,
      @Nullable Double figure,
      String otherName,
      @Nullable Double other,
      double least,
      double most) {
    if (figure == null || other == null) {
      return nothing((figure == null ? name : otherName) + ": not measured");
    }
    double ratio = figure / other;
    String figures =
        "%s %s, %s %s".formatted(name, Numbers.number(figure), otherName, Numbers.number(other));
    return Double.isFinite(ratio)
        ? fact(figures + ": " + Numbers.number(ratio) + " ×", ratio >= least && ratio <= most)
        : nothing(figures);
  }

  /** Both of them; they agree if each does. */
  Measured and(Measured other) {
    return new Measured(
        text + "; " + other.text, agrees.flatMap(here -> other.agrees.map(there -> here && there)));
  }
}
