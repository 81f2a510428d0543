package io.sifr.bench.compare;

import io.sifr.bench.driver.RunResult;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A figure in which stores are compared. */
public enum Metric {
  /** Operations per second. */
  OPS("ops/s", true),
  /** Operations per second, including the background work they cause. */
  OPS_DRAINED("ops/s drained", true),
  /** Median latency. */
  P50("p50 µs", false),
  /** Latency that one in 100 exceeds. */
  P99("p99 µs", false),
  /** Latency that one in 1,000 exceeds. */
  P999("p99.9 µs", false),
  /** The longest standstill. */
  STALL("longest stall ms", false),
  /** CPU time per operation. */
  CPU("CPU µs/op", false),
  /** Bytes of tables per user byte. */
  WRITE_AMPLIFICATION("WA tables", false),
  /** Bytes the process wrote per user byte. */
  WRITE_AMPLIFICATION_ALL("WA process", false),
  /** Most space. */
  PEAK_DISK("peak disk MiB", false),
  /** Space at the end. */
  FINAL_DISK("final disk MiB", false),
  /** Most private memory. */
  MEMORY("memory MiB", false);

  private static final double MIB = 1 << 20;

  private final String label;
  private final boolean moreIsBetter;

  Metric(String label, boolean moreIsBetter) {
    this.label = label;
    this.moreIsBetter = moreIsBetter;
  }

  /** Its name, with the unit. */
  public String label() {
    return label;
  }

  /** Whether the larger figure is the better one. */
  public boolean moreIsBetter() {
    return moreIsBetter;
  }

  /** Its value in a result, if it is known and meaningful there. */
  public Optional<Double> of(RunResult result) {
    return Optional.ofNullable(value().apply(result)).filter(Double::isFinite);
  }

  private Function<RunResult, @Nullable Double> value() {
    return switch (this) {
      case OPS -> RunResult::opsPerSecond;
      case OPS_DRAINED -> result -> result.userBytes() == 0 ? null : result.opsPerSecondDrained();
      case P50 -> result -> result.latencies().p50Micros();
      case P99 -> result -> result.latencies().p99Micros();
      case P999 -> result -> result.latencies().p999Micros();
      case STALL -> RunResult::longestStallMillis;
      case CPU -> RunResult::cpuMicros;
      case WRITE_AMPLIFICATION -> RunResult::writeAmplification;
      case WRITE_AMPLIFICATION_ALL -> RunResult::writeAmplificationWithLog;
      case PEAK_DISK -> result -> result.peakDiskBytes() / MIB;
      case FINAL_DISK -> result -> result.finalDiskBytes() / MIB;
      case MEMORY -> result -> mib(result.peakMemoryBytes());
    };
  }

  private static @Nullable Double mib(@Nullable Long bytes) {
    return bytes == null ? null : bytes / MIB;
  }
}
