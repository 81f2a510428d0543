package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Write amplification and throughput of sequential and random loads. */
final class Writing implements Experiment {
  @Override
  public String name() {
    return "write";
  }

  @Override
  public String title() {
    return "write amplification and throughput, sequential and random (TPDS Figs. 9a and 9b)";
  }

  @Override
  public List<Block> run(Laboratory laboratory) {
    Findings findings =
        new Findings()
            .paper(
                "a sequential load is not amplified by SifrDB, LevelDB and RocksDB, 8 times by"
                    + " Size-Tiered and 6 times by PebblesDB. A random load is amplified alike by"
                    + " the forests and much more by the trees; SifrDB writes 11 times as fast as"
                    + " LevelDB and RocksDB (1 billion entries, 118 GB).");
    List<Attempt> random = new ArrayList<>();
    List<Attempt> sequential = new ArrayList<>();
    for (StoreKind store : Laboratory.LSM_STORES) {
      random.add(BaseRun.attempt(laboratory, store, Workload.FILLRANDOM));
      sequential.add(
          laboratory.attempt(laboratory.spec(store, Workload.FILLSEQ), Workload.FILLSEQ));
    }
    addPlot(
        findings,
        "Bytes the process wrote per user byte, log included",
        "write amplification",
        sequential,
        random,
        Writing::amplification);
    addPlot(
        findings,
        "Entries per second, compactions drained",
        "thousand entries a second",
        sequential,
        random,
        result -> result.opsPerSecondDrained() / 1000);
    return findings
        .add(table(sequential, random))
        .comparable(
            "amplification, up to the smaller number of stages. The figures count everything the"
                + " process writes; the log adds about one. Throughput is that of this machine's"
                + " page cache and processor rather than of a disk: at most ratios are comparable.")
        .blocks();
  }

  private static double amplification(RunResult result) {
    Double amplification = result.writeAmplificationWithLog();
    return amplification == null ? Double.NaN : amplification;
  }

  private static void addPlot(
      Findings findings,
      String title,
      String axis,
      List<Attempt> sequential,
      List<Attempt> random,
      ToDoubleFunction<RunResult> figure) {
    List<String> stores = Laboratory.LSM_STORES.stream().map(StoreKind::label).toList();
    findings.add(
        new Block.BarPlot(
            title,
            Block.Axis.linear(axis),
            stores,
            List.of(
                new Block.Bars("sequential", values(findings, stores, sequential, figure)),
                new Block.Bars("random", values(findings, stores, random, figure)))));
  }

  private static List<@Nullable Double> values(
      Findings findings,
      List<String> stores,
      List<Attempt> attempts,
      ToDoubleFunction<RunResult> figure) {
    List<@Nullable Double> values = new ArrayList<>();
    for (int i = 0; i < stores.size(); i++) {
      values.add(findings.figure(stores.get(i), attempts.get(i), figure));
    }
    return values;
  }

  private static Block table(List<Attempt> sequential, List<Attempt> random) {
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < sequential.size(); i++) {
      for (Attempt attempt : List.of(sequential.get(i), random.get(i))) {
        attempt.result().ifPresent(result -> rows.add(row(result)));
      }
    }
    return new Block.Table(
        List.of(
            "store and load",
            "entries/s",
            "drained",
            "WA tables",
            "WA process",
            "CPU µs per entry",
            "p99.9 µs",
            "longest stall ms"),
        rows);
  }

  private static List<String> row(RunResult result) {
    return List.of(
        result.store() + " " + result.workload(),
        Numbers.number(result.opsPerSecond()),
        Numbers.number(result.opsPerSecondDrained()),
        Findings.cell(result.writeAmplification()),
        Findings.cell(result.writeAmplificationWithLog()),
        Numbers.number(result.cpuSeconds() * 1e6 / result.operations()),
        Numbers.number(result.latencies().p999Micros()),
        Numbers.number(result.longestStallMillis()));
  }
}
