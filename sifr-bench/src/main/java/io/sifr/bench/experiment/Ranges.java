package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Term;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
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
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "forests answer range queries at about half the rate of trees; seeking all trees in"
                    + " parallel makes SifrDB 42 % faster than the other forests.");
    List<StoreKind> fromDisk =
        Laboratory.LSM_STORES.stream().filter(store -> store.supports(Term.DIRECT_READS)).toList();
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    for (Workload workload : List.of(Workload.SEEKRANDOM, Workload.SCAN)) {
      String entries = workload == Workload.SCAN ? "100 entries" : "1 entry";
      rows.put(
          entries + ", cached",
          BaseRun.figures(laboratory, findings, workload, RunResult::opsPerSecond));
      rows.put(
          entries + ", from disk",
          findings.figures(
              fromDisk, store -> direct(laboratory, store, workload), RunResult::opsPerSecond));
    }
    rows.forEach(
        (name, rates) -> findings.contest("range queries/s, " + name, Measure.RATE, rates));
    Map<String, Double> disk = rows.getOrDefault("100 entries, from disk", Map.of());
    return findings
        .add(
            new Block.BarPlot(
                "Range queries a second from a random key",
                Block.Axis.logarithmic("queries a second"),
                List.copyOf(rows.keySet()),
                BaseRun.stores().stream()
                    .map(store -> new Block.Bars(store, values(rows, store)))
                    .toList()))
        .summary("queries/s", BaseRun.stores(), rows)
        .timeClaim(
            "TPDS",
            "§5.3.4",
            "Size-Tiered answers range queries at half the rate of LevelDB",
            Measured.ratio(
                "sifr-tiered",
                disk.get("sifr-tiered"),
                "sifr-leveled",
                disk.get("sifr-leveled"),
                0.35,
                0.65))
        .text("parallel-reads compares the parallel seek with the serial one.")
        .comparable(
            "ratios between the stores. From disk means reads that bypass the page cache, with a"
                + " cache of 8 MiB, one seek after the other; LevelDB reads through mappings, and so"
                + " through the page cache.");
  }

  private static List<@Nullable Double> values(
      Map<String, Map<String, Double>> rows, String store) {
    List<@Nullable Double> values = new ArrayList<>();
    rows.values().forEach(figures -> values.add(figures.get(store)));
    return values;
  }

  private static Attempt direct(Laboratory laboratory, StoreKind store, Workload workload) {
    RunSpec plain =
        laboratory.spec(
            store,
            Shape.PAPER,
            laboratory.scale().entries(),
            OptionalInt.of(laboratory.scale().uncachedReads()),
            1,
            false,
            Workload.FILLRANDOM,
            Workload.SEEKRANDOM,
            Workload.SCAN);
    return laboratory.attemptOnKeptFill(
        plain.withTerms(plain.terms().withDirectReads(Laboratory.SMALL_CACHE_BYTES)),
        workload,
        OptionalLong.empty());
  }
}
