package io.sifr.bench;

import io.sifr.bench.driver.RunResult;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.Units;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Results for people: one line per workload. */
final class ResultTable {
  private static final String FORMAT = "%-18s %9s %9s %9s %9s %9s %9s %9s %6s %6s %9s %9s %7s";

  private final List<RunResult> results;

  ResultTable(List<RunResult> results) {
    this.results = results;
  }

  void print(Console console) throws IOException {
    console.println(
        String.format(
            Locale.ROOT,
            FORMAT,
            "workload",
            "ops/s",
            "drained/s",
            "p50 µs",
            "p99 µs",
            "p99.9 µs",
            "max µs",
            "stall ms",
            "WA",
            "WA all",
            "peak disk",
            "memory",
            "CPU s"));
    for (RunResult result : results) {
      console.println(line(result));
    }
  }

  private static String line(RunResult result) {
    return String.format(
        Locale.ROOT,
        FORMAT,
        result.workload(),
        Units.count(Math.round(result.opsPerSecond())),
        Units.count(Math.round(result.opsPerSecondDrained())),
        decimal(result.latencies().p50Micros()),
        decimal(result.latencies().p99Micros()),
        decimal(result.latencies().p999Micros()),
        decimal(result.latencies().maxMicros()),
        decimal(result.longestStallMillis()),
        decimal(result.writeAmplification()),
        decimal(result.writeAmplificationWithLog()),
        Units.bytes(result.peakDiskBytes()),
        result.peakMemoryBytes() == null ? "-" : Units.bytes(result.peakMemoryBytes()),
        decimal(result.cpuSeconds()));
  }

  private static String decimal(@Nullable Double value) {
    return value == null ? "-" : String.format(Locale.ROOT, value < 100 ? "%.2f" : "%.0f", value);
  }
}
