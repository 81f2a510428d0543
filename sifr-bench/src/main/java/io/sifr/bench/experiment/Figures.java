package io.sifr.bench.experiment;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Figures as text. */
final class Figures {
  private static final double MIB = 1 << 20;

  private Figures() {}

  static double inMib(long bytes) {
    return bytes / MIB;
  }

  /** The same of what may be missing. */
  static @Nullable Double mibOf(@Nullable Long bytes) {
    return bytes == null ? null : inMib(bytes);
  }

  static String mib(long bytes) {
    return String.format(Locale.ROOT, "%,.0f MiB", bytes / MIB);
  }

  /** A number of things. */
  static String count(double value) {
    return String.format(Locale.ROOT, "%,d", Math.round(value));
  }
}
