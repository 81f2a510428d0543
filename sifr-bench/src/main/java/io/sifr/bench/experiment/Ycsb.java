package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import io.sifr.config.SearchScheme;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The YCSB workloads. */
final class Ycsb implements Experiment {
  private static final int THREADS = 4;

  /** The paper's number. */
  private static final int LEAST_OPERATIONS_A_THREAD = 10_000;

  /** An operation for so many entries, so that the JVM compiles in a small part of the time. */
  private static final int ENTRIES_AN_OPERATION = 20;

  /** The same where reads wait for the disk. */
  private static final int ENTRIES_AN_UNCACHED_OPERATION = 50;

  private static final List<StoreKind> STORES =
      List.of(
          StoreKind.SIFR,
          StoreKind.SIFR_TIERED,
          StoreKind.SIFR_LEVELED,
          StoreKind.ROCKSDB,
          StoreKind.ROCKSDB_UNIVERSAL,
          StoreKind.LEVELDB);

  /** Those that are measured with filters, too. */
  private static final List<StoreKind> FILTERED = List.of(StoreKind.SIFR, StoreKind.ROCKSDB);

  /** In YCSB's recommended order: workloads that insert come last. */
  private static final Workload[] WORKLOADS = {
    Workload.YCSB_A,
    Workload.YCSB_B,
    Workload.YCSB_C,
    Workload.YCSB_F,
    Workload.YCSB_D,
    Workload.YCSB_E
  };

  private static final int SEARCH_THREADS = 16;

  private static final String FILTERS = " with filters";

  private record Configuration(
      String label, StoreKind store, UnaryOperator<Terms> terms, int entriesAnOperation) {
    static Configuration cached(StoreKind store, boolean bloom) {
      return new Configuration(
          store.label() + (bloom ? FILTERS : ""),
          store,
          terms -> terms.withBloom(bloom),
          ENTRIES_AN_OPERATION);
    }

    static Configuration direct(String label, StoreKind store, SearchScheme search) {
      int threads = search == SearchScheme.SERIAL ? 1 : SEARCH_THREADS;
      return new Configuration(
          label,
          store,
          terms -> terms.withDirectReads(Laboratory.SMALL_CACHE_BYTES).withSearch(search, threads),
          ENTRIES_AN_UNCACHED_OPERATION);
    }
  }

  @Override
  public String name() {
    return "ycsb";
  }

  @Override
  public String title() {
    return "YCSB A to F with and without filters (TPDS Figs. 15 and 16)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "4 threads with 10,000 requests each. Without filters SifrDB is slower than the"
                    + " trees and faster than the other forests; with filters it is faster than"
                    + " all. FC is better without filters, except for workload D, where PA"
                    + " is.");
    List<Configuration> cached = new ArrayList<>();
    STORES.forEach(store -> cached.add(Configuration.cached(store, false)));
    FILTERED.forEach(store -> cached.add(Configuration.cached(store, true)));
    addPlots(laboratory, findings, cached, "data in the page cache");
    Map<String, Map<String, Double>> rates = rates(laboratory, findings, cached);
    List<Configuration> direct = new ArrayList<>();
    for (SearchScheme search :
        List.of(
            SearchScheme.SERIAL,
            SearchScheme.FIXED_COUNT,
            SearchScheme.PRIORITY_AWARE,
            SearchScheme.ADAPTIVE)) {
      direct.add(Configuration.direct("sifr, " + Terms.inReports(search), StoreKind.SIFR, search));
    }
    direct.add(Configuration.direct("rocksdb", StoreKind.ROCKSDB, SearchScheme.SERIAL));
    addPlots(laboratory, findings, direct, "direct reads, no filters");
    Map<String, Map<String, Double>> uncached = rates(laboratory, findings, direct);
    addClaims(findings, rates, uncached);
    addContests(findings, rates, uncached);
    Map<String, Map<String, Double>> summary = new LinkedHashMap<>(rates);
    uncached.forEach((name, row) -> summary.put(name + ", from disk", row));
    return findings
        .summary("operations/s", Stream.of(WORKLOADS).map(Workload::label).toList(), summary)
        .comparable(
            "ratios between the stores in a workload, and between the schemes with direct reads."
                + " Four clients keep two processors"
                + " busy anyway; the paper has more.");
  }

  /** Operations a second by configuration and workload. */
  private static Map<String, Map<String, Double>> rates(
      Laboratory laboratory, Findings findings, List<Configuration> configurations) {
    Map<String, Map<String, Double>> rates = new LinkedHashMap<>();
    for (Configuration configuration : configurations) {
      Map<String, Double> row = new LinkedHashMap<>();
      for (Workload workload : WORKLOADS) {
        Double rate =
            findings.figure(
                configuration.label(),
                attempt(laboratory, configuration, workload),
                RunResult::opsPerSecond);
        if (rate != null) {
          row.put(workload.label(), rate);
        }
      }
      rates.put(configuration.label(), row);
    }
    return rates;
  }

  private static void addClaims(
      Findings findings,
      Map<String, Map<String, Double>> cached,
      Map<String, Map<String, Double>> direct) {
    double many = Double.MAX_VALUE;
    findings
        .timeClaim(
            "TPDS",
            "Fig. 15",
            "without filters SifrDB reads more slowly than the trees (C)",
            ratio(cached, "sifr", "sifr-leveled", Workload.YCSB_C, 0, 0.95)
                .and(ratio(cached, "sifr", "rocksdb", Workload.YCSB_C, 0, 0.95)))
        .timeClaim(
            "TPDS",
            "Fig. 15",
            "without filters SifrDB is faster than the other forests (A)",
            ratio(cached, "sifr", "sifr-tiered", Workload.YCSB_A, 1.05, many)
                .and(ratio(cached, "sifr", "rocksdb-universal", Workload.YCSB_A, 1.05, many)))
        .timeClaim(
            "TPDS",
            "Fig. 15",
            "with filters SifrDB is faster than all others (A, C, E)",
            fasterWithFilters(cached, Workload.YCSB_A)
                .and(fasterWithFilters(cached, Workload.YCSB_C))
                .and(fasterWithFilters(cached, Workload.YCSB_E)))
        .timeClaim(
            "TPDS",
            "Fig. 16",
            "without filters FC is faster than PA (C)",
            ratio(direct, "sifr, FC", "sifr, PA", Workload.YCSB_C, 1.05, many))
        .timeClaim(
            "TPDS",
            "Fig. 16",
            "reads of the latest entries are faster with PA (D)",
            ratio(direct, "sifr, PA", "sifr, FC", Workload.YCSB_D, 1.05, many));
  }

  private static Measured fasterWithFilters(
      Map<String, Map<String, Double>> rates, Workload workload) {
    return ratio(rates, "sifr" + FILTERS, "rocksdb" + FILTERS, workload, 1.05, Double.MAX_VALUE);
  }

  private static Measured ratio(
      Map<String, Map<String, Double>> rates,
      String name,
      String other,
      Workload workload,
      double least,
      double most) {
    return Measured.ratio(
        "operations/s: " + name,
        rates.getOrDefault(name, Map.of()).get(workload.label()),
        other,
        rates.getOrDefault(other, Map.of()).get(workload.label()),
        least,
        most);
  }

  private static void addContests(
      Findings findings,
      Map<String, Map<String, Double>> cached,
      Map<String, Map<String, Double>> direct) {
    for (Workload workload : WORKLOADS) {
      for (boolean filters : new boolean[] {false, true}) {
        Map<String, Double> alike = new LinkedHashMap<>();
        cached.forEach(
            (name, row) -> {
              if (name.endsWith(FILTERS) == filters && row.containsKey(workload.label())) {
                alike.put(name, row.getOrDefault(workload.label(), 0.0));
              }
            });
        findings.contest(
            workload.label() + ", operations/s" + (filters ? "," + FILTERS : ""),
            Measure.RATE,
            filters ? "sifr" + FILTERS : "sifr",
            alike);
      }
      Map<String, Double> fromDisk = new LinkedHashMap<>();
      direct.forEach(
          (name, row) -> {
            if (row.containsKey(workload.label())) {
              fromDisk.put(name, row.getOrDefault(workload.label(), 0.0));
            }
          });
      findings.contest(
          workload.label() + " from disk, operations/s", Measure.RATE, "sifr, adaptive", fromDisk);
    }
  }

  private static void addPlots(
      Laboratory laboratory, Findings findings, List<Configuration> configurations, String terms) {
    addPlot(
        laboratory,
        findings,
        configurations,
        "Operations a second, 4 threads, " + terms,
        Block.Axis.logarithmic("operations a second"),
        RunResult::opsPerSecond);
    addPlot(
        laboratory,
        findings,
        configurations,
        "Mean latency, 4 threads, " + terms,
        Block.Axis.logarithmic("µs"),
        result -> result.latencies().meanMicros());
  }

  private static void addPlot(
      Laboratory laboratory,
      Findings findings,
      List<Configuration> configurations,
      String title,
      Block.Axis axis,
      ToDoubleFunction<RunResult> figure) {
    List<Block.Bars> bars = new ArrayList<>();
    List<List<String>> rows = new ArrayList<>();
    List<String> headers = new ArrayList<>(List.of("store"));
    for (Workload workload : WORKLOADS) {
      headers.add(workload.label());
    }
    for (Configuration configuration : configurations) {
      List<@Nullable Double> values = new ArrayList<>();
      List<String> cells = new ArrayList<>(List.of(configuration.label()));
      for (Workload workload : WORKLOADS) {
        Double value =
            findings.figure(
                configuration.label(), attempt(laboratory, configuration, workload), figure);
        values.add(value);
        cells.add(Findings.cell(value));
      }
      bars.add(new Block.Bars(configuration.label(), values));
      rows.add(cells);
    }
    findings.add(new Block.BarPlot(title, axis, headers.subList(1, headers.size()), bars));
    findings.add(new Block.Table(headers, rows));
  }

  private static Attempt attempt(
      Laboratory laboratory, Configuration configuration, Workload workload) {
    RunSpec plain =
        laboratory.spec(
            configuration.store(),
            Shape.PAPER,
            laboratory.scale().entries(),
            OptionalInt.of(
                Math.max(
                    THREADS * LEAST_OPERATIONS_A_THREAD,
                    laboratory.scale().entries() / configuration.entriesAnOperation())),
            THREADS,
            false,
            WORKLOADS);
    RunSpec spec = plain.withTerms(configuration.terms().apply(plain.terms()));
    return laboratory.attempt(spec, workload);
  }
}
