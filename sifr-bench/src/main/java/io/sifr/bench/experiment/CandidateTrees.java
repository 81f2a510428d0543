package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Trees that may hold a key. */
final class CandidateTrees implements Experiment {
  private static final Map<StoreKind, String> IN_THE_PAPER =
      Map.of(
          StoreKind.SIFR, "17",
          StoreKind.ROCKSDB, "9",
          StoreKind.ROCKSDB_UNIVERSAL, "17 (Size-Tiered)",
          StoreKind.LEVELDB, "7");

  @Override
  public String name() {
    return "candidate-trees";
  }

  @Override
  public String title() {
    return "trees that may hold a key, after a random load (TPDS Table 4)";
  }

  @Override
  public List<Block> run(Laboratory laboratory) {
    Findings findings =
        new Findings()
            .paper("the numbers in the table, and 11 to 19 in PebblesDB (118 GB of data).");
    List<List<String>> rows = new ArrayList<>();
    List<String> stores = new ArrayList<>();
    List<@Nullable Double> runs = new ArrayList<>();
    for (StoreKind store : Laboratory.LSM_STORES) {
      Attempt load = BaseRun.attempt(laboratory, store, Workload.FILLRANDOM);
      Double count = findings.figure(store.label(), load, CandidateTrees::sortedRuns);
      stores.add(store.label());
      runs.add(count);
      rows.add(
          List.of(
              store.label(),
              count == null ? Numbers.NONE : Figures.count(count),
              IN_THE_PAPER.getOrDefault(store, Numbers.NONE)));
    }
    return findings
        .add(
            new Block.BarPlot(
                "Sorted runs after a random load, drained",
                Block.Axis.linear("sorted runs"),
                stores,
                List.of(new Block.Bars("here", runs))))
        .add(new Block.Table(List.of("store", "here", "in the paper"), rows))
        .comparable(
            "the order of the stores. The numbers change with every flush: a forest has as many"
                + " trees as the digit sum of its data in base f.")
        .blocks();
  }

  private static double sortedRuns(RunResult result) {
    Integer runs = result.sortedRuns();
    return runs == null ? Double.NaN : runs;
  }
}
