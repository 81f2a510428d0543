package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Range queries. */
final class Ranges implements Experiment {
  @Override
  public String name() {
    return "range";
  }

  @Override
  public String title() {
    return "range queries (TPDS §5.3.4)";
  }

  @Override
  public List<Block> run(Laboratory laboratory) {
    Findings findings =
        new Findings()
            .paper(
                "forests answer range queries at about half the rate of trees; seeking all trees in"
                    + " parallel makes SifrDB 42 % faster than the other forests.");
    List<String> stores = Laboratory.LSM_STORES.stream().map(StoreKind::label).toList();
    List<@Nullable Double> seeks = new ArrayList<>();
    List<@Nullable Double> scans = new ArrayList<>();
    List<List<String>> rows = new ArrayList<>();
    for (StoreKind store : Laboratory.LSM_STORES) {
      Double seek =
          findings.figure(
              store.label(),
              BaseRun.attempt(laboratory, store, Workload.SEEKRANDOM),
              RunResult::opsPerSecond);
      Double scan =
          findings.figure(
              store.label(),
              BaseRun.attempt(laboratory, store, Workload.SCAN),
              RunResult::opsPerSecond);
      seeks.add(seek);
      scans.add(scan);
      rows.add(List.of(store.label(), Findings.cell(seek), Findings.cell(scan)));
    }
    return findings
        .add(
            new Block.BarPlot(
                "Range queries a second from a random key, data in the page cache",
                Block.Axis.logarithmic("queries a second"),
                stores,
                List.of(new Block.Bars("1 entry", seeks), new Block.Bars("100 entries", scans))))
        .add(new Block.Table(List.of("store", "seek and 1 entry", "100 entries"), rows))
        .text("parallel-reads compares the parallel seek with the serial one, from disk.")
        .comparable("ratios between the stores, for data in memory; the paper's are from disk.")
        .blocks();
  }
}
