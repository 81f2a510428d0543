package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;

/** Reads as the store outgrows what is kept in memory of it. */
final class StoreSize implements Experiment {
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

  private static final List<String> HEADERS =
      List.of(
          "store and reads",
          "GB",
          "load/s",
          "gets/s",
          "CPU µs",
          "p99 µs",
          "reads/get",
          "misses/s",
          "scans/s",
          "files",
          "memory MiB");

  /** How blocks are read. */
  private enum Way {
    CACHED("through the page cache"),
    DIRECT("bypassing the page cache");

    private final String label;

    Way(String label) {
      this.label = label;
    }
  }

  /** What is drawn. */
  private record Figure(
      String title, String unit, Workload of, ToDoubleFunction<RunResult> value) {}

  private static final List<Figure> FIGURES =
      List.of(
          new Figure("Gets", "gets a second", Workload.READRANDOM, RunResult::opsPerSecond),
          new Figure("CPU of a get", "µs", Workload.READRANDOM, StoreSize::cpuMicros),
          new Figure(
              "Reads of the device for a get", "reads", Workload.READRANDOM, StoreSize::reads),
          new Figure(
              "Gets of absent keys", "a second", Workload.READMISSING, RunResult::opsPerSecond),
          new Figure("Scans of 100 entries", "a second", Workload.SCAN, RunResult::opsPerSecond));

  @Override
  public String name() {
    return "store-size";
  }

  @Override
  public String title() {
    return "reads of large stores (filters as in TPDS §4.1)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .text(
                "Entries of a kilobyte are inserted in ascending order, with filters of 10 bits a"
                    + " key; then random entries are read, "
                    + laboratory.scale().uncachedReads()
                    + " by one client. Each workload runs twice, and the second run counts.");
    List<List<String>> rows = new ArrayList<>();
    for (Way way : Way.values()) {
      List<Integer> sizes = fitting(laboratory, findings);
      for (Figure figure : FIGURES) {
        findings.lines(
            figure.title() + ", " + way.label,
            Block.Axis.logarithmic("data, GB"),
            Block.Axis.linear(figure.unit()),
            STORES.stream().map(store -> line(laboratory, store, way, sizes, figure)).toList());
      }
      for (int entries : sizes) {
        for (StoreKind store : STORES) {
          row(laboratory, findings, store, entries, way).ifPresent(rows::add);
        }
      }
    }
    addContests(laboratory, findings);
    List<List<String>> direct =
        rows.stream().filter(row -> row.get(0).endsWith(Way.DIRECT.label)).toList();
    return findings
        .summary(new Block.Table(HEADERS, direct))
        .add(new Block.Table(HEADERS, rows))
        .comparable(
            "the stores with each other, and sizes with each other where reads bypass the page"
                + " cache; through it, more memory makes large stores faster. Reads are counted by"
                + " the device, so those of other processes are included.");
  }

  private static void addContests(Laboratory laboratory, Findings findings) {
    for (int entries : fitting(laboratory, findings)) {
      for (Way way : Way.values()) {
        for (Figure figure : FIGURES) {
          if (!figure.unit().endsWith("a second")) {
            continue;
          }
          findings.contest(
              "%s a second, %s GB, %s"
                  .formatted(figure.title(), Numbers.number(bytes(entries) / GB), way.label),
              Measure.RATE,
              findings.figures(
                  STORES,
                  store -> attempt(laboratory, store, entries, way, figure.of()),
                  figure.value()));
        }
      }
    }
  }

  /** The sizes there is space for, as numbers of entries. */
  private static List<Integer> fitting(Laboratory laboratory, Findings findings) {
    Path directory = laboratory.directory();
    List<Integer> fitting = new ArrayList<>();
    for (int entries : laboratory.scale().largeStores()) {
      if (directory.toFile().getUsableSpace() > SPACE * bytes(entries)) {
        fitting.add(entries);
      } else {
        findings.missing(
            Numbers.number(bytes(entries) / GB) + " GB: there is not enough space in " + directory);
      }
    }
    return fitting;
  }

  private static double bytes(int entries) {
    return entries * Shape.ONE_K.averageEntryBytes();
  }

  private static Attempt attempt(
      Laboratory laboratory, StoreKind store, int entries, Way way, Workload workload) {
    RunSpec plain =
        laboratory.spec(
            store,
            Shape.ONE_K,
            entries,
            OptionalInt.of(laboratory.scale().uncachedReads()),
            1,
            true,
            WORKLOADS);
    RunSpec spec =
        plain.withTerms(
            way == Way.DIRECT
                ? plain.terms().withDirectReads(CACHE_BYTES)
                : plain.terms().withCacheBytes(CACHE_BYTES));
    return laboratory.attempt(spec, workload);
  }

  private static Block.Series line(
      Laboratory laboratory, StoreKind store, Way way, List<Integer> sizes, Figure figure) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (int entries : sizes) {
      attempt(laboratory, store, entries, way, figure.of())
          .result()
          .map(figure.value()::applyAsDouble)
          .filter(Double::isFinite)
          .ifPresent(
              value -> {
                x.add(bytes(entries) / GB);
                y.add(value);
              });
    }
    return new Block.Series(store.label(), x, y);
  }

  private static Optional<List<String>> row(
      Laboratory laboratory, Findings findings, StoreKind store, int entries, Way way) {
    String label = store.label() + ", " + way.label;
    Optional<RunResult> load =
        findings.result(label, attempt(laboratory, store, entries, way, Workload.FILLSEQ));
    Optional<RunResult> gets =
        attempt(laboratory, store, entries, way, Workload.READRANDOM).result();
    Optional<RunResult> misses =
        attempt(laboratory, store, entries, way, Workload.READMISSING).result();
    Optional<RunResult> scans = attempt(laboratory, store, entries, way, Workload.SCAN).result();
    if (load.isEmpty() || gets.isEmpty() || misses.isEmpty() || scans.isEmpty()) {
      return Optional.empty();
    }
    RunResult get = gets.get();
    Long memory = get.peakMemoryBytes();
    return Optional.of(
        List.of(
            label,
            Numbers.number(bytes(entries) / GB),
            Figures.count(load.get().opsPerSecondDrained()),
            Figures.count(get.opsPerSecond()),
            Numbers.number(cpuMicros(get)),
            Numbers.number(get.latencies().p99Micros()),
            Double.isFinite(reads(get)) ? Numbers.number(reads(get)) : Numbers.NONE,
            Figures.count(misses.get().opsPerSecond()),
            Figures.count(scans.get().opsPerSecond()),
            Figures.count(get.fileSizes().size()),
            memory == null ? Numbers.NONE : Figures.count(Figures.inMib(memory))));
  }

  private static double cpuMicros(RunResult result) {
    return result.cpuSeconds() * 1e6 / result.operations();
  }

  private static double reads(RunResult result) {
    Long reads = result.deviceReads();
    return reads == null ? Double.NaN : (double) reads / result.operations();
  }
}
