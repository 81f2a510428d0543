package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "Size-Tiered needs up to as much space again as it holds while it merges, and runs"
                    + " out of a disk of 90 GB long before 90 GB are stored; SifrDB with early"
                    + " cleaning needs no more than LevelDB.");
    List<Block.Series> curves =
        Laboratory.LSM_STORES.stream()
            .map(store -> BaseRun.attempt(laboratory, store, Workload.FILLRANDOM).result())
            .flatMap(Optional::stream)
            .map(load -> Curves.byUserBytes(load, sample -> Figures.inMib(sample.diskBytes())))
            .toList();
    Map<String, Double> peaks =
        BaseRun.figures(
            laboratory,
            findings,
            Workload.FILLRANDOM,
            result -> Figures.inMib(result.peakDiskBytes()));
    Map<String, Double> finals =
        BaseRun.figures(
            laboratory,
            findings,
            Workload.FILLRANDOM,
            result -> Figures.inMib(result.finalDiskBytes()));
    Map<String, Double> ratios =
        BaseRun.figures(laboratory, findings, Workload.FILLRANDOM, Space::peakOverFinal);
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    rows.put("peak, MiB", peaks);
    rows.put("final, MiB", finals);
    rows.put("peak over final", ratios);
    Map<String, Map<String, Double>> few = new LinkedHashMap<>(rows);
    few.remove("peak over final");
    return findings
        .lines(
            "Files of the store while entries are inserted in random order",
            Block.Axis.linear("user data inserted, MiB"),
            Block.Axis.linear("space, MiB"),
            curves)
        .add(BaseRun.table(rows))
        .summary(BaseRun.table(few))
        .claim(
            "TPDS",
            "Fig. 2b",
            "while Size-Tiered merges it takes up to twice the space of its data",
            Measured.value("sifr-tiered, peak over final", ratios.get("sifr-tiered"), 1.6, 2.4))
        .claim(
            "TPDS",
            "Fig. 9c",
            "SifrDB with early cleaning needs no more space than LevelDB",
            Measured.ratio(
                "peak of sifr", peaks.get("sifr"), "of leveldb", peaks.get("leveldb"), 0, 1.05))
        .contest("random load, peak space, MiB", Measure.AMOUNT, peaks)
        .contest("random load, space at its end, MiB", Measure.AMOUNT, finals)
        .comparable(
            "peak over final space. Sifr uses early cleaning; experiment early-cleaning shows both."
                + " Logs count, which"
                + " weigh more here, with less data. Files are sampled five times a"
                + " second; a shorter peak goes unnoticed.");
  }

  private static double peakOverFinal(RunResult result) {
    return (double) result.peakDiskBytes() / result.finalDiskBytes();
  }
}
