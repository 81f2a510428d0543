package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads as the store outgrows what is kept in memory of it. */
final class StoreSize {
  /**
   * Sifr keeps blocks, indexes and filters in it; RocksDB blocks only, and the others in addition.
   */
  private static final long CACHE_BYTES = 288L << 20;

  private static final double GB = 1e9;

  /** Of a store there are, for a while, a log and files that are being replaced. */
  private static final double SPACE = 1.2;

  private static final List<StoreKind> STORES = List.of(StoreKind.SIFR, StoreKind.ROCKSDB);

  /** Gets twice: the first time the JVM compiles, and what is needed of the files is read. */
  private static final Workload[] WORKLOADS = {
    Workload.FILLSEQ,
    Workload.READRANDOM,
    Workload.READRANDOM,
    Workload.READMISSING,
    Workload.READMISSING,
    Workload.SCAN
  };

  private static final List<Runs.Column> COLUMNS =
      List.of(
          new Runs.Column("load/s", Workload.FILLSEQ, RunResult::opsPerSecondDrained),
          new Runs.Column("gets/s", Workload.READRANDOM, RunResult::opsPerSecond),
          new Runs.Column("CPU µs", Workload.READRANDOM, RunResult::cpuMicros),
          new Runs.Column("p99 µs", Workload.READRANDOM, gets -> gets.latencies().p99Micros()),
          new Runs.Column("reads/get", Workload.READRANDOM, RunResult::readsAnOperation),
          new Runs.Column("misses/s", Workload.READMISSING, RunResult::opsPerSecond),
          new Runs.Column("scans/s", Workload.SCAN, RunResult::opsPerSecond),
          new Runs.Column("files", Workload.READRANDOM, gets -> gets.fileSizes().size()),
          new Runs.Column(
              "memory MiB", Workload.READRANDOM, gets -> Figures.mibOf(gets.peakMemoryBytes())));

  private static final String CACHED = "through the page cache";
  private static final String DIRECT = "bypassing the page cache";

  /** A curve of the drawing. */
  private record Curve(String title, String unit, Workload of, Runs.Figure figure) {}

  private static final List<Curve> CURVES =
      List.of(
          new Curve("Gets", "gets a second", Workload.READRANDOM, RunResult::opsPerSecond),
          new Curve("CPU of a get", "µs", Workload.READRANDOM, RunResult::cpuMicros),
          new Curve(
              "Reads of the device for a get",
              "reads",
              Workload.READRANDOM,
              RunResult::readsAnOperation),
          new Curve(
              "Gets of absent keys", "a second", Workload.READMISSING, RunResult::opsPerSecond),
          new Curve("Scans of 100 entries", "a second", Workload.SCAN, RunResult::opsPerSecond));

  private StoreSize() {}

  static void run(Laboratory laboratory, Findings findings) {
    Grid cached = measure(laboratory, findings, CACHED);
    Grid direct = measure(laboratory, findings, DIRECT);
    findings.fact("reads", laboratory.scale().uncachedReads());
    findings.summary(direct).table(cached.and(direct));
  }

  /** Draws and compares reads of one way, and returns a row for each store and size. */
  private static Grid measure(Laboratory laboratory, Findings findings, String way) {
    Map<Integer, Runs> sizes = new LinkedHashMap<>();
    for (int entries : fitting(laboratory, findings)) {
      sizes.put(entries, runs(laboratory, findings, entries, way));
    }
    for (Curve curve : CURVES) {
      List<Block.Series> lines = new ArrayList<>();
      for (StoreKind store : STORES) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        sizes.forEach(
            (entries, runs) -> {
              Double figure = runs.figures(curve.of(), curve.figure()).get(store.label());
              if (figure != null) {
                x.add(bytes(entries) / GB);
                y.add(figure);
              }
            });
        lines.add(new Block.Series(store.label(), x, y));
      }
      findings.lines(
          curve.title() + ", " + way,
          Block.Axis.logarithmic("data, GB"),
          Block.Axis.linear(curve.unit()),
          lines);
    }
    Grid all = new Grid("store, reads and GB", COLUMNS.stream().map(Runs.Column::title).toList());
    sizes.forEach(
        (entries, runs) -> {
          Grid table = runs.table("", COLUMNS);
          table
              .rows()
              .forEach(
                  name -> all.row(name + ", " + way + ", " + gigabytes(entries), table.row(name)));
          CURVES.stream()
              .filter(curve -> curve.unit().endsWith("a second"))
              .forEach(curve -> contest(findings, curve, entries, way, runs));
        });
    return all;
  }

  private static void contest(Findings findings, Curve curve, int entries, String way, Runs runs) {
    findings.contest(
        "%s a second, %s GB, %s".formatted(curve.title(), gigabytes(entries), way),
        Measure.RATE,
        runs.figures(curve.of(), curve.figure()));
  }

  private static Runs runs(Laboratory laboratory, Findings findings, int entries, String way) {
    return new Runs(
        laboratory,
        findings,
        STORES,
        store ->
            laboratory
                .uncachedSpec(store, WORKLOADS)
                .withShape(Shape.ONE_K)
                .withEntries(entries)
                .withTerms(
                    terms ->
                        terms
                            .withBloom(true)
                            .withDirectReads(way.equals(DIRECT))
                            .withCacheBytes(CACHE_BYTES)));
  }

  /** The sizes there is space for, as numbers of entries. */
  private static List<Integer> fitting(Laboratory laboratory, Findings findings) {
    Path directory = laboratory.directory();
    List<Integer> fitting = new ArrayList<>();
    for (int entries : laboratory.scale().largeStores()) {
      if (directory.toFile().getUsableSpace() > SPACE * bytes(entries)) {
        fitting.add(entries);
      } else {
        findings.missing(gigabytes(entries) + " GB: there is not enough space in " + directory);
      }
    }
    return fitting;
  }

  private static double bytes(int entries) {
    return entries * Shape.ONE_K.averageEntryBytes();
  }

  private static String gigabytes(int entries) {
    return Numbers.number(bytes(entries) / GB);
  }
}
