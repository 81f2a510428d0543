package io.sifr.bench.compare;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.measure.Latencies;
import io.sifr.bench.measure.Sample;
import io.sifr.bench.process.ChildFailedException;
import io.sifr.bench.store.StoreKind;
import java.util.List;

/** Results nobody has measured. */
public final class MadeUp {
  private MadeUp() {}

  /** A result that is the same for all stores but for its rate. */
  public static RunResult result(StoreKind store, String workload, double rate) {
    return new RunResult(
        store.label(),
        workload,
        "paper",
        10,
        10,
        10,
        1,
        null,
        1,
        rate,
        0,
        rate,
        new Latencies(1, 1, 1, 1, 1, 1, 1, 1),
        null,
        1,
        0L,
        0,
        workload.startsWith("read") ? 0 : 1000,
        2000L,
        3000L,
        4L,
        2.0,
        2.5,
        5 << 20,
        4 << 20,
        100L << 20,
        200L << 20,
        1,
        3,
        List.of(10L),
        List.of(
            new Sample(0, 0, 0, 10, 0),
            new Sample(0.5, 5, 2 << 20, 10, 2 << 20),
            new Sample(1, 10, 4 << 20, 10, 4 << 20)),
        List.of(1L << 20, 3L << 20));
  }

  /** A process that ended so. */
  public static ChildFailedException failure(int exitCode) {
    return new ChildFailedException("it", exitCode);
  }
}
