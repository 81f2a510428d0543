package io.sifr.bench.driver;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.sifr.bench.measure.Latencies;
import io.sifr.bench.measure.Sample;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of one workload. Figures that are not available are null.
 *
 * @param store name of the store
 * @param workload name of the workload
 * @param shape name of the shape of entries
 * @param entries entries the store was filled with
 * @param operations operations all clients have done
 * @param operationsAsked operations requested; more than {@code operations} only if the time limit
 *     ended the workload
 * @param threads clients at once
 * @param rate scheduled operations per second; null if as fast as possible, as in all fills
 * @param seconds from the first operation to the end of the last
 * @param opsPerSecond operations divided by {@code seconds}
 * @param drainSeconds from then until the remaining background work was done
 * @param opsPerSecondDrained operations divided by both times
 * @param latencies from the beginning of an operation to its end
 * @param correctedLatencies from the scheduled beginning of an operation, if there was a rate:
 *     corrected for coordinated omission
 * @param longestStallMillis the longest time in which no client completed an operation
 * @param storeStallMillis milliseconds for which the store says it stalled writers
 * @param operationsBeside operations of the additional client, which is not measured
 * @param userBytes bytes of keys and values given to the store
 * @param bytesWritten bytes the process handed to the device, draining included
 * @param bytesRead bytes the process fetched from the device
 * @param deviceReads reads the device completed, including those of other processes
 * @param writeAmplification bytes of tables written per user byte, as the store counts them
 * @param writeAmplificationWithLog {@code bytesWritten} per user byte: everything, log and metadata
 *     included
 * @param peakDiskBytes largest sampled size of the files in bytes
 * @param finalDiskBytes bytes of files after draining
 * @param peakMemoryBytes largest sampled private memory of the process in bytes
 * @param peakResidentBytes the same with mapped files
 * @param cpuSeconds CPU time of the process, draining included
 * @param sortedRuns sorted runs in the store at the end
 * @param opsEachSecond operations done in each second of {@code seconds}, the last incomplete one
 *     left out
 * @param samples samples over the time of the run
 * @param fileSizes bytes of each table at the end, ascending; of each file in a store without
 *     tables
 */
@RecordBuilder
public record RunResult(
    String store,
    String workload,
    String shape,
    int entries,
    long operations,
    long operationsAsked,
    int threads,
    @Nullable Double rate,
    double seconds,
    double opsPerSecond,
    double drainSeconds,
    double opsPerSecondDrained,
    @JsonUnwrapped Latencies latencies,
    @Nullable Latencies correctedLatencies,
    double longestStallMillis,
    @Nullable Long storeStallMillis,
    long operationsBeside,
    long userBytes,
    @Nullable Long bytesWritten,
    @Nullable Long bytesRead,
    @Nullable Long deviceReads,
    @Nullable Double writeAmplification,
    @Nullable Double writeAmplificationWithLog,
    long peakDiskBytes,
    long finalDiskBytes,
    @Nullable Long peakMemoryBytes,
    @Nullable Long peakResidentBytes,
    double cpuSeconds,
    @Nullable Integer sortedRuns,
    List<Long> opsEachSecond,
    List<Sample> samples,
    List<Long> fileSizes)
    implements RunResultBuilder.With {

  /** CPU time of an operation in microseconds, background work included. */
  public double cpuMicros() {
    return cpuSeconds * 1e6 / operations;
  }

  /** Reads of the device for an operation. */
  public @Nullable Double readsAnOperation() {
    return deviceReads == null ? null : (double) deviceReads / operations;
  }

  /** The same without samples and files. */
  public RunResult withoutSamples() {
    return withSamples(List.of()).withFileSizes(List.of());
  }
}
