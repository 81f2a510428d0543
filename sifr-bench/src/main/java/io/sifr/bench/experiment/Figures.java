package io.sifr.bench.experiment;

import java.util.Locale;

/** Figures as text. */
final class Figures {
  private static final double MIB = 1 << 20;

  private Figures() {}

  static double inMib(long bytes) {
    return bytes / MIB;
  }

  static String mib(long bytes) {
    return String.format(Locale.ROOT, "%,.0f MiB", bytes / MIB);
  }

  /** A number of things. */
  static String count(double value) {
    return String.format(Locale.ROOT, "%,d", Math.round(value));
  }

  /** With three digits that count, more where the number is large. */
  static String number(double value) {
    double size = Math.abs(value);
    String format = size >= 100 || size == 0 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }
}
