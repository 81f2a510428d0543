package io.sifr.cli.terminal;

import java.util.Locale;

/** Numbers as people read them. */
public final class Units {
  private static final String PREFIXES = "KMGT";
  private static final double NANOS_PER_SECOND = 1e9;

  private Units() {}

  /** A size: "512 B", "4.0 MiB". */
  public static String bytes(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    int power = power(bytes);
    return String.format(
        Locale.ROOT, "%.1f %siB", bytes / Math.pow(1024, power), PREFIXES.charAt(power - 1));
  }

  /** A size in at most six characters: "512", "4.0M". */
  public static String shortBytes(long bytes) {
    if (bytes < 1024) {
      return Long.toString(bytes);
    }
    int power = power(bytes);
    return String.format(
        Locale.ROOT, "%.1f%s", bytes / Math.pow(1024, power), PREFIXES.charAt(power - 1));
  }

  private static int power(long bytes) {
    int power = 1;
    // 1023.95 would be shown as 1024.0 of the smaller unit.
    while (power < PREFIXES.length() && bytes >= 1023.95 * Math.pow(1024, power)) {
      power++;
    }
    return power;
  }

  /** A count: "1,000,000". */
  public static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /** A count with its noun: "1 SST", "3 SSTs". */
  public static String count(long count, String noun) {
    return count(count) + " " + noun + (count == 1 ? "" : "s");
  }

  /** A count of entries: "1 entry", "3 entries". */
  public static String entries(long count) {
    return count(count) + (count == 1 ? " entry" : " entries");
  }

  /** A rate: "812,345/s". */
  public static String perSecond(long count, long nanos) {
    return count(Math.round(rate(count, nanos))) + "/s";
  }

  /** A rate per second; 0 when no time has passed. */
  public static double rate(long count, long nanos) {
    return nanos <= 0 ? 0 : count * NANOS_PER_SECOND / nanos;
  }

  /** Nanoseconds as seconds. */
  public static double seconds(long nanos) {
    return nanos / NANOS_PER_SECOND;
  }
}
