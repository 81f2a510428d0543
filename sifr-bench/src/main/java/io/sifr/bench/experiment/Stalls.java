package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.measure.Latencies;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How evenly a random load goes on: by second, and by put. */
final class Stalls implements Experiment {
  private static final String RATE = "median second, thousand/s";
  private static final String SLOWEST = "slowest second, % of it";
  private static final String MEDIAN = "p50 of a put, µs";
  private static final String TAIL = "p99, µs";
  private static final String FAR_TAIL = "p99.9, µs";
  private static final String LONGEST = "longest stall, ms";

  @Override
  public String name() {
    return "stalls";
  }

  @Override
  public String title() {
    return "throughput by second and latencies of puts (MatrixKV Figs. 2, 3 and 12, Table 2)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "in a random load of 80 GB RocksDB's throughput falls to nearly zero again and"
                    + " again, while its first levels are merged (Fig. 2); 76 % of the puts take"
                    + " less than 48 µs, but 10 % 1.15 ms and more (Fig. 3). Small compactions make"
                    + " throughput even (Fig. 12).");
    List<Block.Series> seconds = new ArrayList<>();
    List<Block.Series> latencies = new ArrayList<>();
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    for (String name : List.of(RATE, SLOWEST, MEDIAN, TAIL, FAR_TAIL, LONGEST)) {
      rows.put(name, new LinkedHashMap<>());
    }
    for (StoreKind store : Laboratory.LSM_STORES) {
      Optional<RunResult> load =
          findings.result(store.label(), BaseRun.attempt(laboratory, store, Workload.FILLRANDOM));
      if (load.isPresent()) {
        seconds.add(bySecond(load.get()));
        latencies.add(distribution(load.get()));
        figures(load.get()).forEach((name, figure) -> put(rows, name, store.label(), figure));
      }
    }
    rows.forEach(
        (name, figures) -> {
          boolean rate = name.equals(RATE) || name.equals(SLOWEST);
          findings.contest("random load: " + name, rate ? Measure.RATE : Measure.TIME, figures);
        });
    Map<String, Map<String, Double>> few = new LinkedHashMap<>(rows);
    few.remove(RATE);
    few.remove(TAIL);
    few.remove(MEDIAN);
    few.remove(FAR_TAIL);
    return findings
        .lines(
            "Entries a second, second by second",
            Block.Axis.linear("seconds"),
            Block.Axis.linear("entries a second"),
            seconds)
        .lines(
            "Latency of a put, by how rare it is",
            Block.Axis.logarithmic("one of … puts takes longer"),
            Block.Axis.logarithmic("µs"),
            latencies)
        .add(BaseRun.table(rows))
        .summary(BaseRun.table(few))
        .timeClaim(
            "MatrixKV",
            "Fig. 2",
            "RocksDB's throughput falls to nearly zero at times",
            Measured.value("slowest second, %", figure(rows, SLOWEST, "rocksdb"), 0, 15))
        .timeClaim(
            "MatrixKV",
            "Fig. 3",
            "RocksDB's 99th percentile of a put is 25 times as long as what most puts take",
            Measured.ratio(
                "p99, µs",
                figure(rows, TAIL, "rocksdb"),
                "p50",
                figure(rows, MEDIAN, "rocksdb"),
                25,
                Double.MAX_VALUE))
        .timeClaim(
            "MatrixKV",
            "Fig. 12",
            "what merges in small pieces and writes less is more even than RocksDB (here: sifr)",
            Measured.ratio(
                "slowest second, %: sifr",
                figure(rows, SLOWEST, "sifr"),
                "rocksdb",
                figure(rows, SLOWEST, "rocksdb"),
                1.05,
                Double.MAX_VALUE))
        .comparable(
            "the stores with each other. Writes go to the page cache here, and there is less data,"
                + " so that no store waits for a device as in the paper. The last, incomplete"
                + " second is left out.");
  }

  private static void put(
      Map<String, Map<String, Double>> rows, String name, String store, @Nullable Double figure) {
    Map<String, Double> row = rows.get(name);
    if (row != null && figure != null) {
      row.put(store, figure);
    }
  }

  private static @Nullable Double figure(
      Map<String, Map<String, Double>> rows, String name, String store) {
    return rows.getOrDefault(name, Map.of()).get(store);
  }

  private static Map<String, Double> figures(RunResult load) {
    Map<String, Double> figures = new LinkedHashMap<>();
    List<Long> rates = load.opsEachSecond().stream().sorted().toList();
    if (!rates.isEmpty()) {
      long median = rates.get(rates.size() / 2);
      figures.put(RATE, median / 1e3);
      figures.put(SLOWEST, 100.0 * rates.get(0) / median);
    }
    Latencies latencies = load.latencies();
    figures.put(MEDIAN, latencies.p50Micros());
    figures.put(TAIL, latencies.p99Micros());
    figures.put(FAR_TAIL, latencies.p999Micros());
    figures.put(LONGEST, load.longestStallMillis());
    return figures;
  }

  private static Block.Series bySecond(RunResult load) {
    List<Double> x = new ArrayList<>();
    for (int second = 1; second <= load.opsEachSecond().size(); second++) {
      x.add((double) second);
    }
    return new Block.Series(
        load.store(), x, load.opsEachSecond().stream().map(Long::doubleValue).toList());
  }

  private static Block.Series distribution(RunResult load) {
    Latencies latencies = load.latencies();
    return new Block.Series(
        load.store(),
        List.of(2.0, 20.0, 100.0, 1_000.0, 10_000.0, (double) Math.max(10_000, load.operations())),
        List.of(
            latencies.p50Micros(),
            latencies.p95Micros(),
            latencies.p99Micros(),
            latencies.p999Micros(),
            latencies.p9999Micros(),
            latencies.maxMicros()));
  }
}
