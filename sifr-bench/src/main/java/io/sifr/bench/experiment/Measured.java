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
  /**
   * A figure that is not yet compared with a statement.
   *
   * @param text the figure in words
   * @param value null if it is missing
   */
  record Reading(String text, @Nullable Double value) {
    /** It agrees if it is within the bounds. */
    Measured within(double least, double most) {
      return value == null ? nothing(text) : fact(text, value >= least && value <= most);
    }

    Measured atLeast(double least) {
      return within(least, Double.POSITIVE_INFINITY);
    }

    Measured atMost(double most) {
      return within(Double.NEGATIVE_INFINITY, most);
    }
  }

  /** No figure at all. */
  static Measured nothing(String why) {
    return new Measured(why, Optional.empty());
  }

  /** Something that was observed or not. */
  static Measured fact(String text, boolean agrees) {
    return new Measured(text, Optional.of(agrees));
  }

  /** One figure. */
  static Reading value(String name, @Nullable Double figure) {
    String shown = figure == null ? ": not measured" : " " + Numbers.number(figure);
    return new Reading(name + shown, figure);
  }

  /** The ratio of two figures, the first divided by the second. */
  static Reading ratio(
      String name, @Nullable Double figure, String otherName, @Nullable Double other) {
    if (figure == null || other == null) {
      return value(figure == null ? name : otherName, null);
    }
    double ratio = figure / other;
    String both =
        "%s %s, %s %s".formatted(name, Numbers.number(figure), otherName, Numbers.number(other));
    return Double.isFinite(ratio)
        ? new Reading(both + ": " + Numbers.number(ratio) + " ×", ratio)
        : new Reading(both, null);
  }

  /** Both of them; they agree if each does. */
  Measured and(Measured other) {
    return new Measured(
        text + "; " + other.text, agrees.flatMap(here -> other.agrees.map(there -> here && there)));
  }
}
