package io.sifr.bench.report;

import io.sifr.bench.report.Block.Axis;
import java.util.DoubleSummaryStatistics;

/**
 * The part of an axis that is shown.
 *
 * @param min left or lower end
 * @param max right or upper end, greater
 * @param logarithmic whether equal distances mean equal ratios
 */
record Scale(double min, double max, boolean logarithmic) {
  private static final double ROOM = 1.05;

  /** A little more than the range of some values; a linear scale includes zero. */
  static Scale withZero(Axis axis, DoubleSummaryStatistics values) {
    if (axis.logarithmic()) {
      return logarithmic(values);
    }
    double min = Math.min(0, values.getMin() * ROOM);
    double max = Math.max(0, values.getMax() * ROOM);
    return linear(min, max);
  }

  /** The range of some values. */
  static Scale tight(Axis axis, DoubleSummaryStatistics values) {
    if (axis.logarithmic()) {
      return logarithmic(values);
    }
    return linear(values.getMin(), values.getMax());
  }

  /** Widens the scale so that its ends differ in a few digits. */
  private static Scale linear(double min, double max) {
    double largest = Math.max(Math.abs(min), Math.abs(max));
    boolean wide = max - min > Math.max(1e-9, 1e-6 * largest);
    return new Scale(min, wide ? max : min + Math.max(1, largest * 0.1), false);
  }

  /** Between round numbers; the lower lies below all values, so that each bar has a height. */
  private static Scale logarithmic(DoubleSummaryStatistics values) {
    return new Scale(roundBelow(values.getMin() / ROOM), roundAbove(values.getMax() * ROOM), true);
  }

  private static double roundBelow(double value) {
    double decade = decade(value);
    double digits = value / decade;
    return decade * (digits >= 5 ? 5 : digits >= 2 ? 2 : 1);
  }

  private static double roundAbove(double value) {
    double decade = decade(value);
    double digits = value / decade;
    return decade * (digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
  }

  /** The largest power of ten up to a value; a computed logarithm may be slightly too small. */
  private static double decade(double value) {
    return Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
  }

  /** Whether the scale is long enough that marks at powers of ten suffice. */
  boolean marksDecadesOnly() {
    return logarithmic && max / min > 999;
  }

  /** The label of a mark; blank where it would crowd the others. XChart would write "null". */
  String label(double value) {
    if (!logarithmic) {
      return Numbers.tick(value);
    }
    long digit = Math.round(value / decade(value));
    return digit == 1 || digit == 2 || digit == 5 ? Numbers.tick(value) : " ";
  }
}
