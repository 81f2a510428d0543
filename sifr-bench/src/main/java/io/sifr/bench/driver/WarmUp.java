package io.sifr.bench.driver;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Tells runs that are too short to say how fast a store is: in the first seconds a JVM interprets,
 * and compiles what it has found to be called often.
 */
public final class WarmUp {
  /** A run of so many seconds is hardly changed by those in which the JVM compiles. */
  private static final double LEAST_SECONDS = 10;

  private WarmUp() {}

  /** What is to be said of results among which there is a short run; else empty. */
  public static Optional<String> warning(List<RunResult> results) {
    return results.stream()
        .filter(result -> result.seconds() < LEAST_SECONDS && result.operations() > 0)
        .min(Comparator.comparingDouble(RunResult::seconds))
        .map(WarmUp::warning);
  }

  private static String warning(RunResult shortest) {
    return String.format(
        Locale.ROOT,
        "Short runs: %s of %s took %.2f s. In its first seconds a JVM interprets and compiles, so these"
            + " figures measure its compiler, too, and flatter stores of native code. To have runs of"
            + " %.0f s, take at least %s %d.",
        shortest.workload(),
        shortest.store(),
        shortest.seconds(),
        LEAST_SECONDS,
        fills(shortest) ? "--entries" : "--operations",
        enough(shortest));
  }

  private static boolean fills(RunResult result) {
    return result.workload().startsWith("fill");
  }

  /** Rounded up to a number with one digit and zeros. */
  private static long enough(RunResult shortest) {
    double operations = shortest.operations() * LEAST_SECONDS / Math.max(shortest.seconds(), 1e-3);
    double unit = Math.pow(10, Math.floor(Math.log10(operations)));
    return (long) (Math.ceil(operations / unit) * unit);
  }
}
