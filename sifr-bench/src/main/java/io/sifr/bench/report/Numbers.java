package io.sifr.bench.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats figures in few characters. */
public final class Numbers {
  /** The text for a missing figure. */
  public static final String NONE = "–";

  private static final MathContext DIGITS = new MathContext(3);
  private static final BigDecimal SMALL = new BigDecimal("1e-5");
  private static final double LEAST_TICK = 1e-3;
  private static final String PREFIXES = "kMGTPE";
  private static final String SMALL_PREFIXES = "mµnp";

  private Numbers() {}

  /** For a cell of a table: three significant digits, "1,234,567" from a thousand on. */
  static String cell(@Nullable Double value) {
    if (value == null || !Double.isFinite(value)) {
      return NONE;
    }
    // Rounded first, or 999.9 would be "1000" and 1000 "1,000".
    return Math.abs(rounded(value).doubleValue()) >= 1000
        ? String.format(Locale.ROOT, "%,.0f", value)
        : plain(rounded(value));
  }

  /** For an axis: "0.5", "20k", "1.5M", "100n". */
  static String tick(double value) {
    double scaled = rounded(value).doubleValue();
    int thousandths = 0;
    if (Math.abs(scaled) < LEAST_TICK && scaled != 0) {
      while (Math.abs(rounded(scaled).doubleValue()) < 1 && thousandths < SMALL_PREFIXES.length()) {
        scaled *= 1000;
        thousandths++;
      }
    }
    if (thousandths > 0) {
      return plain(rounded(scaled)) + SMALL_PREFIXES.charAt(thousandths - 1);
    }
    int thousands = 0;
    while (Math.abs(scaled) >= 1000 && thousands < PREFIXES.length()) {
      scaled /= 1000;
      thousands++;
    }
    return plain(rounded(scaled)) + (thousands == 0 ? "" : PREFIXES.charAt(thousands - 1));
  }

  /**
   * For a table or a sentence where figures of one kind are compared: three significant digits,
   * including zeros, more for large numbers. "0.0030", "0.50", "12.3", "1,234".
   */
  public static String number(double value) {
    double size = Math.abs(value);
    String format =
        size >= 100 || size == 0 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.4f";
    return String.format(Locale.ROOT, format, value);
  }

  private static BigDecimal rounded(double value) {
    BigDecimal rounded = BigDecimal.valueOf(value).round(DIGITS);
    return rounded.signum() == 0 ? BigDecimal.ZERO : rounded.stripTrailingZeros();
  }

  /** All digits, unless it is so small that zeros would fill the cell: then it is nearly none. */
  private static String plain(BigDecimal rounded) {
    return rounded.signum() != 0 && rounded.abs().compareTo(SMALL) < 0
        ? (rounded.signum() < 0 ? ">-" : "<") + SMALL.toPlainString()
        : rounded.toPlainString();
  }
}
