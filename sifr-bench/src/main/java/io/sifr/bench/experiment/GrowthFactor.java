package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.measure.Sample;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** Write amplification and read latency by growth factor. */
final class GrowthFactor {
  private static final List<Integer> FACTORS = List.of(4, 8, 16);
  private static final List<StoreKind> STORES =
      List.of(StoreKind.SIFR, StoreKind.SIFR_TIERED, StoreKind.SIFR_LEVELED, StoreKind.ROCKSDB);

  /** With fewer table bytes a ratio means little, as the first tables are not written yet. */
  private static final long FIRST_BYTES = 1 << 20;

  private static final String WRITTEN = "write amplification, drained";
  private static final String RUNS = "sorted runs";
  private static final String GET = "mean get, µs";

  private GrowthFactor() {}

  static void run(Laboratory laboratory, Findings findings) {
    Runs runs = new Runs(laboratory, findings);
    for (StoreKind store : STORES) {
      for (int factor : FACTORS) {
        runs.add(
            name(store, factor),
            laboratory
                .spec(store, Workload.FILLRANDOM, Workload.READRANDOM)
                .withTerms(terms -> terms.withGrowthFactor(OptionalInt.of(factor))));
      }
    }
    Grid grid = new Grid("store", List.of(WRITTEN, RUNS, GET));
    List<Block.Series> curves = new ArrayList<>();
    for (String name : runs.names()) {
      grid.row(name, Map.of());
      runs.result(name, Workload.FILLRANDOM)
          .ifPresent(
              load -> {
                curves.add(curve(name, load));
                grid.put(name, WRITTEN, load.writeAmplification());
                grid.put(name, RUNS, load.sortedRuns());
              });
      runs.result(name, Workload.READRANDOM)
          .ifPresent(read -> grid.put(name, GET, read.latencies().meanMicros()));
    }
    findings
        .summary(byFactor(grid))
        .claim(
            "TPDS Fig. 2a",
            "with a larger factor Size-Tiered writes less",
            effect(grid, WRITTEN, StoreKind.SIFR_TIERED).atMost(0.95))
        .claim(
            "TPDS Fig. 2a",
            "with a larger factor LevelDB writes more",
            effect(grid, WRITTEN, StoreKind.SIFR_LEVELED)
                .atLeast(1.05)
                .and(effect(grid, WRITTEN, StoreKind.ROCKSDB).atLeast(1.05)))
        .timeClaim(
            "TPDS Fig. 3",
            "with a larger factor Size-Tiered reads more slowly",
            effect(grid, GET, StoreKind.SIFR_TIERED).atLeast(1.05))
        .timeClaim(
            "TPDS Fig. 3",
            "with a larger factor LevelDB reads faster",
            effect(grid, GET, StoreKind.SIFR_LEVELED).atMost(0.95))
        .lines(
            "Table bytes written per user byte during a random load",
            Block.Axis.linear("entries, millions"),
            Block.Axis.linear("write amplification"),
            curves)
        .table(grid);
  }

  /** What the largest factor does in comparison with the smallest. */
  private static Measured.Reading effect(Grid grid, String figure, StoreKind store) {
    String many = name(store, FACTORS.get(FACTORS.size() - 1));
    return grid.ratioOfRows(figure, many, name(store, FACTORS.get(0)));
  }

  private static Grid byFactor(Grid grid) {
    Grid byFactor =
        new Grid(
            "store",
            Stream.of("bytes/byte", "get, µs")
                .flatMap(figure -> FACTORS.stream().map(factor -> figure + " f=" + factor))
                .toList());
    for (StoreKind store : STORES) {
      for (int factor : FACTORS) {
        String name = name(store, factor);
        byFactor.put(store.label(), "bytes/byte f=" + factor, grid.get(name, WRITTEN));
        byFactor.put(store.label(), "get, µs f=" + factor, grid.get(name, GET));
      }
    }
    return byFactor;
  }

  private static String name(StoreKind store, int factor) {
    return store.label() + " f=" + factor;
  }

  private static Block.Series curve(String name, RunResult result) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    double bytesAnOperation = (double) result.userBytes() / result.operations();
    for (Sample sample : result.samples()) {
      if (sample.tableBytes() >= FIRST_BYTES) {
        x.add(sample.operations() / 1e6);
        y.add(sample.tableBytes() / (sample.operations() * bytesAnOperation));
      }
    }
    return new Block.Series(name, x, y);
  }
}
