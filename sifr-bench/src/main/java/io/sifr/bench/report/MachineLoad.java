package io.sifr.bench.report;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * The load average of the machine before measurements began, and when they are told of: the number
 * of processes that ran or wanted to, over the last minute.
 */
public final class MachineLoad {
  /** A share of the processors; what is above it was taken from the measurements. */
  private static final double BUSY_SHARE = 0.25;

  private final DoubleSupplier average;
  private final int processors;
  private final double before;

  private MachineLoad(DoubleSupplier average, int processors) {
    this.average = average;
    this.processors = processors;
    this.before = average.getAsDouble();
  }

  /** Looks for the first time. */
  public static MachineLoad begin() {
    return begin(
        ManagementFactory.getOperatingSystemMXBean()::getSystemLoadAverage,
        Runtime.getRuntime().availableProcessors());
  }

  static MachineLoad begin(DoubleSupplier average, int processors) {
    return new MachineLoad(average, processors);
  }

  /** Both, and what follows from them; empty where the system does not tell. */
  public Optional<String> inWords() {
    double after = average.getAsDouble();
    if (before < 0 || after < 0) { // Windows
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "Load average of the machine: %.2f before the measurements, %.2f after them, which"
                + " includes their own, with %d processor%s.%s",
            before,
            after,
            processors,
            processors == 1 ? "" : "s",
            before > BUSY_SHARE * processors
                ? " It was busy with something else when they began: times are worse than those of"
                    + " an idle machine, and not equally for all."
                : ""));
  }
}
