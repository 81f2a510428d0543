package io.sifr.bench.driver;

import io.sifr.bench.measure.ProcessFigures;
import io.sifr.bench.measure.Sample;
import io.sifr.bench.measure.Sampler;
import io.sifr.bench.store.StoreFigures;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Computes a result from the measurements. */
final class Evaluation {
  private final RunSpec spec;
  private final Workload workload;
  private final Clients clients;
  private final Sampler sampler;

  Evaluation(RunSpec spec, Workload workload, Clients clients, Sampler sampler) {
    this.spec = spec;
    this.workload = workload;
    this.clients = clients;
    this.sampler = sampler;
  }

  RunResult result(
      double drainSeconds,
      ProcessFigures before,
      ProcessFigures after,
      StoreFigures storeBefore,
      StoreFigures storeAfter,
      long finalDiskBytes,
      List<Long> fileSizes) {
    long userBytes = clients.userBytes();
    Long written = difference(before.bytesWritten(), after.bytesWritten());
    return new RunResult(
        spec.store().label(),
        workload.label(),
        spec.shape().name(),
        spec.entries(),
        clients.done(),
        clients.operations(),
        spec.threads(),
        clients.rate().isPresent() ? clients.rate().getAsDouble() : null,
        clients.seconds(),
        clients.done() / clients.seconds(),
        drainSeconds,
        clients.done() / (clients.seconds() + drainSeconds),
        clients.latencies(),
        clients.correctedLatencies(),
        clients.longestStallNanos() / 1e6,
        difference(storeBefore.stallMillis(), storeAfter.stallMillis()),
        clients.doneBeside(),
        userBytes,
        written,
        difference(before.bytesRead(), after.bytesRead()),
        difference(before.deviceReads(), after.deviceReads()),
        ratio(difference(storeBefore.tableBytes(), storeAfter.tableBytes()), userBytes),
        ratio(written, userBytes),
        Math.max(sampler.peakDiskBytes(), finalDiskBytes),
        finalDiskBytes,
        boxed(sampler.peakMemoryBytes()),
        boxed(sampler.peakResidentBytes()),
        (after.cpuNanos() - before.cpuNanos()) / 1e9,
        boxed(storeAfter.sortedRuns()),
        opsEachSecond(sampler.samples(), clients.seconds()),
        sampler.samples(),
        fileSizes);
  }

  private static @Nullable Long difference(OptionalLong before, OptionalLong after) {
    return before.isPresent() && after.isPresent() ? after.getAsLong() - before.getAsLong() : null;
  }

  private static @Nullable Double ratio(@Nullable Long bytes, long userBytes) {
    return bytes == null || userBytes == 0 ? null : (double) bytes / userBytes;
  }

  private static @Nullable Long boxed(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }

  private static @Nullable Integer boxed(OptionalInt value) {
    return value.isPresent() ? value.getAsInt() : null;
  }

  /** Operations between the samples nearest to whole seconds, scaled to a second. */
  static List<Long> opsEachSecond(List<Sample> samples, double seconds) {
    List<Long> ops = new ArrayList<>();
    Sample from = samples.get(0);
    for (Sample sample : samples) {
      if (sample.seconds() > seconds) {
        break;
      }
      double elapsed = sample.seconds() - from.seconds();
      if (sample.seconds() >= ops.size() + 1) {
        ops.add(Math.round((sample.operations() - from.operations()) / elapsed));
        from = sample;
      }
    }
    return ops;
  }
}
