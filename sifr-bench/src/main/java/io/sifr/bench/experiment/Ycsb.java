package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Term;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import io.sifr.config.SearchScheme;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The YCSB workloads. */
final class Ycsb implements Experiment {
  private static final int THREADS = 4;
  private static final int OPERATIONS_A_THREAD = 10_000;

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

  private record Configuration(String label, StoreKind store, UnaryOperator<Terms> terms) {
    static Configuration cached(StoreKind store, boolean bloom) {
      return new Configuration(
          store.label() + (bloom ? " with filters" : ""), store, terms -> terms.withBloom(bloom));
    }

    static Configuration direct(String label, StoreKind store, SearchScheme search) {
      int threads = search == SearchScheme.SERIAL ? 1 : SEARCH_THREADS;
      return new Configuration(
          label,
          store,
          terms -> terms.withDirectReads(Laboratory.SMALL_CACHE_BYTES).withSearch(search, threads));
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
  public List<Block> run(Laboratory laboratory) {
    Findings findings =
        new Findings()
            .paper(
                "4 threads with 10,000 requests each. Without filters SifrDB is slower than the"
                    + " trees and faster than the other forests; with filters it is faster than"
                    + " all. FC is better without filters, except for workload D, where PA"
                    + " is.");
    List<Configuration> cached = new ArrayList<>();
    Laboratory.LSM_STORES.forEach(store -> cached.add(Configuration.cached(store, false)));
    Laboratory.LSM_STORES.stream()
        .filter(store -> store.supports(Term.BLOOM))
        .forEach(store -> cached.add(Configuration.cached(store, true)));
    addPlots(laboratory, findings, cached, "data in the page cache");
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
    return findings
        .comparable(
            "ratios between the stores in a workload, and between the schemes with direct reads. So"
                + " few requests (the paper's number) take a second or less when the data"
                + " is cached; the JVM is still compiling then. Four clients keep two processors"
                + " busy anyway; the paper has more.")
        .blocks();
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
            OptionalInt.of(THREADS * OPERATIONS_A_THREAD),
            THREADS,
            false,
            WORKLOADS);
    RunSpec spec = plain.withTerms(configuration.terms().apply(plain.terms()));
    return laboratory.attempt(spec, workload);
  }
}
