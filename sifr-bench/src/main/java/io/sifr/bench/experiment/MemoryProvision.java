package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.process.MemoryLimit;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import io.sifr.config.SearchScheme;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads with little memory. */
final class MemoryProvision {
  private static final int SEARCH_THREADS = 16;

  /**
   * A store with its settings.
   *
   * @param clients number of threads that read
   * @param onlyInLeast whether it runs only with the least memory
   */
  private record Contestant(
      String label,
      StoreKind store,
      boolean filters,
      SearchScheme search,
      int clients,
      boolean onlyInLeast) {
    RunSpec spec(Laboratory laboratory) {
      return laboratory
          .uncachedSpec(store, Workload.FILLRANDOM, Workload.READRANDOM)
          .withShape(laboratory.scale().uncachedShape())
          .withEntries(laboratory.scale().uncachedEntries())
          .withThreads(clients)
          .withTerms(
              terms ->
                  (search == SearchScheme.SERIAL ? terms : terms.withSearch(search, SEARCH_THREADS))
                      .withBloom(filters));
    }
  }

  private static final List<Contestant> CONTESTANTS =
      List.of(
          new Contestant("sifr, serial", StoreKind.SIFR, false, SearchScheme.SERIAL, 1, false),
          new Contestant("sifr, FC", StoreKind.SIFR, false, SearchScheme.FIXED_COUNT, 1, true),
          new Contestant("sifr, PA", StoreKind.SIFR, false, SearchScheme.PRIORITY_AWARE, 1, true),
          plain("sifr-tiered", StoreKind.SIFR_TIERED, false, 1, true),
          plain("rocksdb", StoreKind.ROCKSDB, false, 1, false),
          plain("rocksdb-universal", StoreKind.ROCKSDB_UNIVERSAL, false, 1, false),
          new Contestant("sifr, filters", StoreKind.SIFR, true, SearchScheme.ADAPTIVE, 1, false),
          plain("rocksdb, filters", StoreKind.ROCKSDB, true, 1, false),
          new Contestant(
              "sifr, filters, 4 clients", StoreKind.SIFR, true, SearchScheme.ADAPTIVE, 4, true),
          plain("rocksdb, filters, 4 clients", StoreKind.ROCKSDB, true, 4, true));

  private static Contestant plain(
      String label, StoreKind store, boolean filters, int clients, boolean onlyInLeast) {
    return new Contestant(label, store, filters, SearchScheme.SERIAL, clients, onlyInLeast);
  }

  private static final String MEAN = "mean µs";
  private static final String TAIL = "p99 µs";
  private static final String AMPLIFICATION = "bytes/byte";
  private static final String IN = " in ";

  private MemoryProvision() {}

  static void run(Laboratory laboratory, Findings findings) {
    List<OptionalLong> provisions = provisions(laboratory, findings);
    List<String> labels = provisions.stream().map(MemoryProvision::label).toList();
    Grid means = new Grid("mean get, µs", labels);
    Grid amplification = new Grid("", labels);
    for (Contestant contestant : CONTESTANTS) {
      means.row(contestant.label(), Map.of());
      amplification.row(contestant.label(), Map.of());
    }
    Grid details = table(laboratory, new Runs(laboratory, findings));
    for (OptionalLong provision : provisions) {
      Runs runs = new Runs(laboratory, findings);
      for (Contestant contestant : CONTESTANTS) {
        if (!contestant.onlyInLeast() || provision.equals(provisions.get(0))) {
          String name = contestant.label() + IN + label(provision);
          runs.addOnKeptFill(name, contestant.spec(laboratory), provision);
        }
      }
      Grid table = table(laboratory, runs);
      for (String name : runs.names()) {
        String contestant = name.substring(0, name.lastIndexOf(IN));
        means.put(contestant, label(provision), table.get(name, MEAN));
        amplification.put(contestant, label(provision), table.get(name, AMPLIFICATION));
      }
      details = details.and(table);
    }
    findings
        .fact(
            "ratio",
            Numbers.number(
                (double) laboratory.scale().uncachedDataBytes()
                    / laboratory.scale().provisions()[0]))
        .add(means.turned().bars("Mean latency of a get", Block.Axis.logarithmic("µs")))
        .add(
            amplification
                .turned()
                .bars(
                    "Read amplification: bytes fetched from the device per byte asked for",
                    Block.Axis.linear("bytes per byte")))
        .table(details)
        .summary(
            means.only(
                CONTESTANTS.stream()
                    .filter(contestant -> contestant.search() != SearchScheme.PRIORITY_AWARE)
                    .map(Contestant::label)
                    .toArray(String[]::new)));
    addClaims(findings, details, provisions.get(0));
    addContests(findings, labels.get(0), means.turned().row(labels.get(0)));
  }

  private static Grid table(Laboratory laboratory, Runs runs) {
    Workload gets = Workload.READRANDOM;
    return runs.table(
        "store and memory",
        List.of(
            new Runs.Column(MEAN, gets, result -> result.latencies().meanMicros()),
            new Runs.Column("p95 µs", gets, result -> result.latencies().p95Micros()),
            new Runs.Column(TAIL, gets, result -> result.latencies().p99Micros()),
            new Runs.Column("CPU µs a get", gets, RunResult::cpuMicros),
            new Runs.Column(AMPLIFICATION, gets, result -> readAmplification(laboratory, result))));
  }

  private static double readAmplification(Laboratory laboratory, RunResult result) {
    Long read = result.bytesRead();
    return read == null
        ? Double.NaN
        : read / (result.operations() * laboratory.scale().uncachedShape().averageEntryBytes());
  }

  private static void addClaims(Findings findings, Grid details, OptionalLong least) {
    String in = IN + label(least);
    if (least.isEmpty()) {
      findings.claim(
          "TPDS Figs. 7 and 11",
          "in little memory FC reads several times as fast as a serial search",
          Measured.nothing("memory cannot be limited"));
      return;
    }
    findings
        .timeClaim(
            "TPDS Table 2",
            "in the least memory 16 search threads make the 99th percentile of SifrDB 4.9 times as"
                + " fast",
            details.ratioOfRows(TAIL, "sifr, serial" + in, "sifr, FC" + in).within(3.5, 7))
        .timeClaim(
            "TPDS Fig. 11a",
            "in the least memory SifrDB with FC reads 4 times as fast as Size-Tiered",
            details.ratioOfRows(MEAN, "sifr-tiered" + in, "sifr, FC" + in).within(3, 6));
  }

  /** Each form of Sifr with the same form of the others. */
  private static void addContests(Findings findings, String memory, Map<String, Double> means) {
    for (String form : List.of("", ", filters", ", filters, 4 clients")) {
      Map<String, Double> alike = new LinkedHashMap<>(means);
      alike
          .keySet()
          .removeIf(
              name ->
                  form.isEmpty()
                      ? name.contains("filters")
                      : !name.substring(Math.max(0, name.indexOf(','))).equals(form));
      findings.contest(
          "gets in " + memory + ", µs" + (form.isEmpty() ? ", no filters" : form),
          Measure.TIME,
          form.isEmpty() ? "sifr, serial" : "sifr" + form,
          alike);
    }
  }

  /** Limits, smallest first, then no limit; only the latter where limits are not possible. */
  private static List<OptionalLong> provisions(Laboratory laboratory, Findings findings) {
    List<OptionalLong> provisions = new ArrayList<>();
    Optional<String> obstacle = MemoryLimit.obstacle();
    if (obstacle.isPresent()) {
      findings.missing("Limited memory: " + obstacle.get() + ".");
    } else {
      for (long bytes : laboratory.scale().provisions()) {
        provisions.add(OptionalLong.of(bytes));
      }
    }
    provisions.add(OptionalLong.empty());
    return provisions;
  }

  private static String label(OptionalLong provision) {
    return provision.isPresent() ? Figures.mib(provision.getAsLong()) : "unlimited";
  }
}
