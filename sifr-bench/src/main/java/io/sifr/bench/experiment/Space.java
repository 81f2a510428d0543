package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;

/** Space during a load. */
final class Space implements Experiment {
  @Override
  public String name() {
    return "space";
  }

  @Override
  public String title() {
    return "space during a random load (TPDS Figs. 2b and 9c)";
  }

  @Override
  public List<Block> run(Laboratory laboratory) {
    Findings findings =
        new Findings()
            .paper(
                "Size-Tiered needs up to as much space again as it holds while it merges, and runs"
                    + " out of a disk of 90 GB long before 90 GB are stored; SifrDB with early"
                    + " cleaning needs no more than LevelDB.");
    List<Block.Series> curves = new ArrayList<>();
    List<List<String>> rows = new ArrayList<>();
    for (StoreKind store : Laboratory.LSM_STORES) {
      Attempt load = BaseRun.attempt(laboratory, store, Workload.FILLRANDOM);
      findings
          .result(store.label(), load)
          .ifPresent(
              result ->
                  curves.add(
                      Curves.byUserBytes(result, sample -> Figures.inMib(sample.diskBytes()))));
      rows.add(
          List.of(
              store.label(),
              Findings.cell(
                  findings.figure(
                      store.label(), load, result -> Figures.inMib(result.peakDiskBytes()))),
              Findings.cell(
                  findings.figure(
                      store.label(), load, result -> Figures.inMib(result.finalDiskBytes()))),
              Findings.cell(findings.figure(store.label(), load, Space::peakOverFinal))));
    }
    return findings
        .lines(
            "Files of the store while entries are inserted in random order",
            Block.Axis.linear("user data inserted, MiB"),
            Block.Axis.linear("space, MiB"),
            curves)
        .add(new Block.Table(List.of("store", "peak, MiB", "final, MiB", "peak over final"), rows))
        .comparable(
            "peak over final space. Sifr uses early cleaning; experiment early-cleaning shows both."
                + " rocksdb-universal stands for Size-Tiered. Logs count, which"
                + " weigh more here, with less data. Files are sampled five times a"
                + " second; a shorter peak goes unnoticed.")
        .blocks();
  }

  private static double peakOverFinal(RunResult result) {
    return (double) result.peakDiskBytes() / result.finalDiskBytes();
  }
}
