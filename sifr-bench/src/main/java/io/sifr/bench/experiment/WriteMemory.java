package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Workload;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "RocksDB and Size-Tiered take ten times as much memory as SifrDB and LevelDB, and"
                    + " PebblesDB a hundred times.");
    List<Block.Series> curves =
        Laboratory.LSM_STORES.stream()
            .map(store -> BaseRun.attempt(laboratory, store, Workload.FILLRANDOM).result())
            .flatMap(Optional::stream)
            .map(load -> Curves.byUserBytes(load, sample -> Figures.inMib(sample.memoryBytes())))
            .toList();
    Map<String, Double> peaks =
        BaseRun.figures(laboratory, findings, Workload.FILLRANDOM, WriteMemory::peakMib);
    Double sifr = peaks.get("sifr");
    return findings
        .lines(
            "Private memory of the process while entries are inserted in random order",
            Block.Axis.linear("user data inserted, MiB"),
            Block.Axis.linear("memory, MiB"),
            curves)
        .summary(BaseRun.table(Map.of("peak memory, MiB", peaks)))
        .claim(
            "TPDS",
            "Fig. 9d",
            "RocksDB and Size-Tiered take ten times as much memory as SifrDB",
            Measured.ratio("rocksdb, MiB", peaks.get("rocksdb"), "sifr", sifr, 7, 14)
                .and(Measured.ratio("sifr-tiered", peaks.get("sifr-tiered"), "sifr", sifr, 7, 14)))
        .claim(
            "TPDS",
            "Fig. 9d",
            "PebblesDB takes a hundred times as much memory as SifrDB",
            Measured.ratio("sifr-guarded, MiB", peaks.get("sifr-guarded"), "sifr", sifr, 70, 140))
        .contest("random load, memory of the process, MiB", Measure.AMOUNT, peaks)
        .comparable(
            "differences between the stores at one moment. Each process is a JVM, whose heap grows"
                + " with garbage and which also holds two bytes per entry to check answers"
                + "; both are the same for all stores. Pages of mapped files do not count.");
  }

  private static double peakMib(RunResult result) {
    Long bytes = result.peakMemoryBytes();
    return bytes == null ? Double.NaN : Figures.inMib(bytes);
  }
}
