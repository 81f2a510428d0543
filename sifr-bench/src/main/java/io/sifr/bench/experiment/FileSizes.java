package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;

/** Sizes of the files a load leaves. */
final class FileSizes implements Experiment {
  @Override
  public String name() {
    return "file-sizes";
  }

  @Override
  public String title() {
    return "sizes of files after a random load (TPDS Fig. 10)";
  }

  @Override
  public List<Block> run(Laboratory laboratory) {
    Findings findings =
        new Findings()
            .paper(
                "Size-Tiered writes very large files, PebblesDB files of all sizes, many of them"
                    + " tiny; SifrDB files of one size.");
    List<Block.Series> curves = new ArrayList<>();
    List<List<String>> rows = new ArrayList<>();
    for (StoreKind store : Laboratory.LSM_STORES) {
      findings
          .result(store.label(), BaseRun.attempt(laboratory, store, Workload.FILLRANDOM))
          .ifPresent(
              result -> {
                curves.add(distribution(result));
                rows.add(row(result));
              });
    }
    return findings
        .lines(
            "Share of all bytes in files up to a size",
            Block.Axis.logarithmic("size of file, MiB"),
            Block.Axis.linear("share of bytes, %"),
            curves)
        .add(new Block.Table(List.of("store", "files", "median, MiB", "largest, MiB"), rows))
        .comparable(
            "the shape of the distribution. All files count, logs too, which are not in the"
                + " paper's figure.")
        .blocks();
  }

  private static List<String> row(RunResult result) {
    List<Long> sizes = result.fileSizes();
    return List.of(
        result.store(),
        Integer.toString(sizes.size()),
        Numbers.number(Figures.inMib(sizes.get(sizes.size() / 2))),
        Numbers.number(Figures.inMib(sizes.get(sizes.size() - 1))));
  }

  private static Block.Series distribution(RunResult result) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    double sum = 0;
    for (long size : result.fileSizes()) {
      if (size > 0) {
        sum += size;
        x.add(Figures.inMib(size));
        y.add(100 * sum / result.finalDiskBytes());
      }
    }
    return new Block.Series(result.store(), x, y);
  }
}
