package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.List;

/** Costs and savings of each policy, with one implementation. */
final class Policies {
  private static final List<StoreKind> STORES =
      List.of(
          StoreKind.SIFR,
          StoreKind.SIFR_TIERED,
          StoreKind.SIFR_LAZY,
          StoreKind.SIFR_GUARDED,
          StoreKind.SIFR_LEVELED,
          StoreKind.ROCKSDB_UNIVERSAL,
          StoreKind.ROCKSDB);

  private static final List<Runs.Column> COLUMNS =
      List.of(
          new Runs.Column("load/s", Workload.FILLRANDOM, RunResult::opsPerSecondDrained),
          new Runs.Column("bytes/byte", Workload.FILLRANDOM, RunResult::writeAmplification),
          new Runs.Column("runs", Workload.FILLRANDOM, RunResult::sortedRuns),
          new Runs.Column("gets/s", Workload.READRANDOM, RunResult::opsPerSecond),
          new Runs.Column("misses/s", Workload.READMISSING, RunResult::opsPerSecond),
          new Runs.Column("seeks/s", Workload.SEEKRANDOM, RunResult::opsPerSecond),
          new Runs.Column("scans/s", Workload.SCAN, RunResult::opsPerSecond),
          new Runs.Column("overwrites/s", Workload.OVERWRITE, RunResult::opsPerSecondDrained),
          new Runs.Column(
              "overwrites: bytes/byte", Workload.OVERWRITE, RunResult::writeAmplification),
          new Runs.Column(
              "space", Workload.OVERWRITE, result -> Figures.inMib(result.finalDiskBytes())));

  private Policies() {}

  static void run(Laboratory laboratory, Findings findings) {
    Runs runs = Runs.base(laboratory, findings, STORES);
    Grid written =
        runs.grid()
            .row("random load", runs.figures(Workload.FILLRANDOM, RunResult::writeAmplification))
            .row(
                "random overwrites",
                runs.figures(Workload.OVERWRITE, RunResult::writeAmplification));
    findings
        .add(
            written.bars(
                "Bytes of tables written per user byte", Block.Axis.linear("bytes per byte")))
        .table(runs.table("store", COLUMNS));
  }
}
