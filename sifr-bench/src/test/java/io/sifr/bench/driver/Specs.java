package io.sifr.bench.driver;

import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import io.sifr.config.Durability;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.LongConsumer;

/** Runs for tests. */
public final class Specs {
  /** Shows nothing. */
  static final StoreRun.Progress SILENT =
      new StoreRun.Progress() {
        @Override
        public LongConsumer begin(Workload workload, long operations) {
          return done -> {};
        }

        @Override
        public void end() {}
      };

  private Specs() {}

  /** A run with small buffers. */
  public static RunSpec of(
      StoreKind store, List<Workload> workloads, int entries, int operations, int threads) {
    return of(store, workloads, entries, operations, threads, OptionalDouble.empty());
  }

  static RunSpec of(
      StoreKind store,
      List<Workload> workloads,
      int entries,
      int operations,
      int threads,
      OptionalDouble rate) {
    return new RunSpec(
        store,
        workloads,
        Shape.PAPER,
        entries,
        OptionalInt.of(operations),
        threads,
        rate,
        OptionalInt.empty(),
        Terms.plain(Durability.BUFFERED, 1 << 16, 1 << 20),
        7,
        Optional.empty());
  }

  static RunSpec withTimeLimit(RunSpec spec, int seconds) {
    return new RunSpec(
        spec.store(),
        spec.workloads(),
        spec.shape(),
        spec.entries(),
        spec.operations(),
        spec.threads(),
        spec.rate(),
        OptionalInt.of(seconds),
        spec.terms(),
        spec.seed(),
        spec.keptFills());
  }
}
