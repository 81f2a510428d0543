package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What each merge policy costs and saves, with one implementation. */
final class Policies implements Experiment {
  private static final List<StoreKind> STORES =
      List.of(
          StoreKind.SIFR,
          StoreKind.SIFR_TIERED,
          StoreKind.SIFR_LAZY,
          StoreKind.SIFR_GUARDED,
          StoreKind.SIFR_LEVELED,
          StoreKind.ROCKSDB_UNIVERSAL,
          StoreKind.ROCKSDB);

  private record Column(String title, Workload of, ToDoubleFunction<RunResult> figure) {}

  private static final List<Column> COLUMNS =
      List.of(
          new Column("load/s", Workload.FILLRANDOM, RunResult::opsPerSecondDrained),
          new Column("bytes/byte", Workload.FILLRANDOM, Policies::writeAmplification),
          new Column("runs", Workload.FILLRANDOM, Policies::runs),
          new Column("gets/s", Workload.READRANDOM, RunResult::opsPerSecond),
          new Column("misses/s", Workload.READMISSING, RunResult::opsPerSecond),
          new Column("seeks/s", Workload.SEEKRANDOM, RunResult::opsPerSecond),
          new Column("scans/s", Workload.SCAN, RunResult::opsPerSecond),
          new Column("overwrites/s", Workload.OVERWRITE, RunResult::opsPerSecondDrained),
          new Column("bytes/byte", Workload.OVERWRITE, Policies::writeAmplification),
          new Column(
              "space", Workload.OVERWRITE, result -> Figures.inMib(result.finalDiskBytes())));

  @Override
  public String name() {
    return "policies";
  }

  @Override
  public String title() {
    return "merge policies (TPDS Table 1, Figs. 2 and 9; CS561 Figs. 14 and 15)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "a forest writes less than leveling, and reads and scans more runs. Leveling is"
                    + " better for work that reads, tiering for work that writes (CS561).");
    List<List<String>> rows = new ArrayList<>();
    List<Block.Bars> written = new ArrayList<>();
    for (StoreKind store : STORES) {
      List<String> row = new ArrayList<>(List.of(store.label()));
      for (Column column : COLUMNS) {
        Attempt attempt = BaseRun.attempt(laboratory, store, column.of());
        row.add(Findings.cell(findings.figure(store.label(), attempt, column.figure())));
      }
      rows.add(row);
      written.add(
          new Block.Bars(
              store.label(),
              List.of(Workload.FILLRANDOM, Workload.OVERWRITE).stream()
                  .map(workload -> amplification(laboratory, store, workload))
                  .toList()));
    }
    return findings
        .add(
            new Block.BarPlot(
                "Bytes of tables written per user byte",
                Block.Axis.linear("bytes per byte"),
                List.of("random load", "random overwrites"),
                written))
        .add(
            new Block.Table(
                Stream.concat(Stream.of("store"), COLUMNS.stream().map(Column::title)).toList(),
                rows))
        .comparable(
            "the policies of Sifr with each other: everything else is the same. Filters are off, as"
                + " in the papers, so that gets search all runs. Space is in MiB, after overwrites of"
                + " random entries, a million or as many as there are.");
  }

  private static @Nullable Double amplification(
      Laboratory laboratory, StoreKind store, Workload workload) {
    return BaseRun.attempt(laboratory, store, workload)
        .result()
        .flatMap(result -> Optional.ofNullable(result.writeAmplification()))
        .orElse(null);
  }

  private static double writeAmplification(RunResult result) {
    Double bytes = result.writeAmplification();
    return bytes == null ? Double.NaN : bytes;
  }

  private static double runs(RunResult result) {
    Integer runs = result.sortedRuns();
    return runs == null ? Double.NaN : runs;
  }
}
