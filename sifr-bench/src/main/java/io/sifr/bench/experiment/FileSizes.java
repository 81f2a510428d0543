package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sizes of the files a load leaves. */
final class FileSizes implements Experiment {
  /** A tiny file is smaller than this. */
  private static final long TINY_BYTES = 256 << 10;

  @Override
  public String name() {
    return "file-sizes";
  }

  @Override
  public String title() {
    return "sizes of files after a random load (TPDS Fig. 10)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "Size-Tiered writes very large files, PebblesDB files of all sizes, many of them"
                    + " tiny; SifrDB files of one size.");
    List<Block.Series> curves =
        Laboratory.LSM_STORES.stream()
            .map(store -> BaseRun.attempt(laboratory, store, Workload.FILLRANDOM).result())
            .flatMap(Optional::stream)
            .map(FileSizes::distribution)
            .toList();
    Map<String, Double> counts =
        BaseRun.figures(
            laboratory, findings, Workload.FILLRANDOM, result -> result.fileSizes().size());
    Map<String, Double> medians =
        BaseRun.figures(laboratory, findings, Workload.FILLRANDOM, result -> mibAt(result, 0.5));
    Map<String, Double> largest =
        BaseRun.figures(laboratory, findings, Workload.FILLRANDOM, result -> mibAt(result, 1));
    Map<String, Double> tiny =
        BaseRun.figures(laboratory, findings, Workload.FILLRANDOM, FileSizes::tinyPercent);
    Map<String, Double> alike =
        BaseRun.figures(laboratory, findings, Workload.FILLRANDOM, FileSizes::alikePercent);
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    rows.put("files", counts);
    rows.put("median, MiB", medians);
    rows.put("largest, MiB", largest);
    rows.put("smaller than 256 KiB, %", tiny);
    Map<String, Map<String, Double>> few = new LinkedHashMap<>(rows);
    few.remove("files");
    return findings
        .lines(
            "Share of all bytes in files up to a size",
            Block.Axis.logarithmic("size of file, MiB"),
            Block.Axis.linear("share of bytes, %"),
            curves)
        .add(BaseRun.table(rows))
        .summary(BaseRun.table(few))
        .claim(
            "TPDS",
            "Fig. 10",
            "SifrDB's files are of one size",
            Measured.value("% of bytes within a third of the median", alike.get("sifr"), 80, 100))
        .claim(
            "TPDS",
            "Fig. 10",
            "Size-Tiered writes extra-large files",
            Measured.ratio(
                "largest of sifr-tiered, MiB",
                largest.get("sifr-tiered"),
                "of sifr",
                largest.get("sifr"),
                10,
                Double.MAX_VALUE))
        .claim(
            "TPDS",
            "Fig. 10",
            "many of PebblesDB's files are tiny",
            Measured.value(
                "% of files of sifr-guarded below 256 KiB", tiny.get("sifr-guarded"), 20, 100))
        .comparable("the shape of the distribution. Files of sorted data count, not logs.");
  }

  private static double mibAt(RunResult result, double share) {
    List<Long> sizes = result.fileSizes();
    return sizes.isEmpty()
        ? Double.NaN
        : Figures.inMib(sizes.get((int) Math.min(sizes.size() - 1, sizes.size() * share)));
  }

  private static double tinyPercent(RunResult result) {
    long tiny = result.fileSizes().stream().filter(size -> size < TINY_BYTES).count();
    return 100.0 * tiny / result.fileSizes().size();
  }

  /** The share of the bytes that are in files whose size is near the median. */
  private static double alikePercent(RunResult result) {
    double median = mibAt(result, 0.5);
    long all = result.fileSizes().stream().mapToLong(Long::longValue).sum();
    long alike =
        result.fileSizes().stream()
            .filter(size -> Math.abs(Figures.inMib(size) - median) <= median / 3)
            .mapToLong(Long::longValue)
            .sum();
    return 100.0 * alike / all;
  }

  private static Block.Series distribution(RunResult result) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    double all = result.fileSizes().stream().mapToLong(Long::longValue).sum();
    double sum = 0;
    for (long size : result.fileSizes()) {
      if (size > 0) {
        sum += size;
        x.add(Figures.inMib(size));
        y.add(100 * sum / all);
      }
    }
    return new Block.Series(result.store(), x, y);
  }
}
