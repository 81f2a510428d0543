package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;

/** Memory while writing. */
final class WriteMemory implements Experiment {
  @Override
  public String name() {
    return "write-memory";
  }

  @Override
  public String title() {
    return "memory during a random load (TPDS Fig. 9d)";
  }

  @Override
  public List<Block> run(Laboratory laboratory) {
    Findings findings =
        new Findings()
            .paper(
                "RocksDB and Size-Tiered take ten times as much memory as SifrDB and LevelDB, and"
                    + " PebblesDB a hundred times.");
    List<Block.Series> curves = new ArrayList<>();
    for (StoreKind store : Laboratory.LSM_STORES) {
      findings
          .result(store.label(), BaseRun.attempt(laboratory, store, Workload.FILLRANDOM))
          .ifPresent(
              result ->
                  curves.add(
                      Curves.byUserBytes(result, sample -> Figures.inMib(sample.memoryBytes()))));
    }
    return findings
        .lines(
            "Private memory of the process while entries are inserted in random order",
            Block.Axis.linear("user data inserted, MiB"),
            Block.Axis.linear("memory, MiB"),
            curves)
        .comparable(
            "differences between the stores at one moment. Each process is a JVM, whose heap grows"
                + " with garbage and which also holds two bytes per entry to check answers"
                + "; both are the same for all stores. Pages of mapped files do not count.")
        .blocks();
  }
}
