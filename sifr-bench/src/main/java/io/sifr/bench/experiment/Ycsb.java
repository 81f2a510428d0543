package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Workload;
import io.sifr.config.SearchScheme;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The YCSB workloads. */
final class Ycsb {
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

  private static final List<SearchScheme> SEARCHES =
      List.of(
          SearchScheme.SERIAL,
          SearchScheme.FIXED_COUNT,
          SearchScheme.PRIORITY_AWARE,
          SearchScheme.ADAPTIVE);

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
  private static final String FROM_DISK = ", from disk";

  private Ycsb() {}

  static void run(Laboratory laboratory, Findings findings) {
    Runs cached = new Runs(laboratory, findings);
    STORES.forEach(store -> cached.add(store.label(), cached(laboratory, store, false)));
    FILTERED.forEach(store -> cached.add(store.label() + FILTERS, cached(laboratory, store, true)));
    Runs direct = new Runs(laboratory, findings);
    SEARCHES.forEach(
        search ->
            direct.add(
                "sifr, " + Terms.inReports(search) + FROM_DISK,
                direct(laboratory, StoreKind.SIFR, search)));
    direct.add("rocksdb" + FROM_DISK, direct(laboratory, StoreKind.ROCKSDB, SearchScheme.SERIAL));
    Grid rates = measure(findings, cached, "data in the page cache");
    Grid uncached = measure(findings, direct, "direct reads, no filters");
    addClaims(findings, rates, uncached);
    addContests(findings, rates, uncached);
    findings.summary(rates.and(uncached));
  }

  private static RunSpec cached(Laboratory laboratory, StoreKind store, boolean bloom) {
    return spec(laboratory, store, ENTRIES_AN_OPERATION, terms -> terms.withBloom(bloom));
  }

  private static RunSpec direct(Laboratory laboratory, StoreKind store, SearchScheme search) {
    int threads = search == SearchScheme.SERIAL ? 1 : SEARCH_THREADS;
    return spec(
        laboratory,
        store,
        ENTRIES_AN_UNCACHED_OPERATION,
        terms -> terms.withDirectReads(Laboratory.SMALL_CACHE_BYTES).withSearch(search, threads));
  }

  private static RunSpec spec(
      Laboratory laboratory, StoreKind store, int entriesAnOperation, UnaryOperator<Terms> terms) {
    int operations =
        Math.max(
            THREADS * LEAST_OPERATIONS_A_THREAD, laboratory.scale().entries() / entriesAnOperation);
    return laboratory
        .spec(store, WORKLOADS)
        .withOperations(OptionalInt.of(operations))
        .withThreads(THREADS)
        .withTerms(terms);
  }

  /** Draws rates and latencies, and returns the rates: a row for each run. */
  private static Grid measure(Findings findings, Runs runs, String terms) {
    Grid rates = grid("operations/s", runs, RunResult::opsPerSecond);
    Grid latencies = grid("µs", runs, result -> result.latencies().meanMicros());
    findings
        .add(
            rates
                .turned()
                .bars(
                    "Operations a second, 4 threads, " + terms,
                    Block.Axis.logarithmic("operations a second")))
        .table(rates)
        .add(
            latencies
                .turned()
                .bars("Mean latency, 4 threads, " + terms, Block.Axis.logarithmic("µs")))
        .table(latencies);
    return rates;
  }

  private static Grid grid(String unit, Runs runs, Runs.Figure figure) {
    return runs.table(
        unit,
        Stream.of(WORKLOADS)
            .map(workload -> new Runs.Column(workload.label(), workload, figure))
            .toList());
  }

  private static void addClaims(Findings findings, Grid cached, Grid direct) {
    findings
        .timeClaim(
            "TPDS Fig. 15",
            "without filters SifrDB reads more slowly than the trees (C)",
            ratio(cached, Workload.YCSB_C, "sifr", "sifr-leveled")
                .atMost(0.95)
                .and(ratio(cached, Workload.YCSB_C, "sifr", "rocksdb").atMost(0.95)))
        .timeClaim(
            "TPDS Fig. 15",
            "without filters SifrDB is faster than the other forests (A)",
            ratio(cached, Workload.YCSB_A, "sifr", "sifr-tiered")
                .atLeast(1.05)
                .and(ratio(cached, Workload.YCSB_A, "sifr", "rocksdb-universal").atLeast(1.05)))
        .timeClaim(
            "TPDS Fig. 15",
            "with filters SifrDB is faster than all others (A, C, E)",
            fasterWithFilters(cached, Workload.YCSB_A)
                .and(fasterWithFilters(cached, Workload.YCSB_C))
                .and(fasterWithFilters(cached, Workload.YCSB_E)))
        .timeClaim(
            "TPDS Fig. 16",
            "without filters FC is faster than PA (C)",
            ratio(direct, Workload.YCSB_C, "sifr, FC" + FROM_DISK, "sifr, PA" + FROM_DISK)
                .atLeast(1.05))
        .timeClaim(
            "TPDS Fig. 16",
            "reads of the latest entries are faster with PA (D)",
            ratio(direct, Workload.YCSB_D, "sifr, PA" + FROM_DISK, "sifr, FC" + FROM_DISK)
                .atLeast(1.05));
  }

  private static Measured fasterWithFilters(Grid rates, Workload workload) {
    return ratio(rates, workload, "sifr" + FILTERS, "rocksdb" + FILTERS).atLeast(1.05);
  }

  private static Measured.Reading ratio(Grid rates, Workload workload, String name, String other) {
    return rates.ratioOfRows(workload.label(), name, other);
  }

  private static void addContests(Findings findings, Grid cached, Grid direct) {
    String[] filtered =
        cached.rows().stream().filter(name -> name.endsWith(FILTERS)).toArray(String[]::new);
    String[] plain =
        cached.rows().stream().filter(name -> !name.endsWith(FILTERS)).toArray(String[]::new);
    for (Workload workload : WORKLOADS) {
      String rate = workload.label() + ", operations/s";
      contest(findings, rate, "sifr", cached.only(plain), workload);
      contest(findings, rate + "," + FILTERS, "sifr" + FILTERS, cached.only(filtered), workload);
      String adaptive = "sifr, adaptive" + FROM_DISK;
      contest(findings, workload.label() + " from disk, operations/s", adaptive, direct, workload);
    }
  }

  private static void contest(
      Findings findings, String where, String ours, Grid rates, Workload workload) {
    findings.contest(where, Measure.RATE, ours, rates.turned().row(workload.label()));
  }
}
