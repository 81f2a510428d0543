package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.process.MemoryLimit;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import io.sifr.config.SearchScheme;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Reads with little memory. */
final class MemoryProvision implements Experiment {
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
      boolean onlyInLeast) {}

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

  @Override
  public String name() {
    return "memory-provision";
  }

  @Override
  public String title() {
    return "point reads with little memory (TPDS Figs. 7, 11a and 11b, Table 2)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "118 GB of data in 256 MB to 16 GB of memory. A serial search of SifrDB's trees"
                    + " has a 95th and a 99th percentile of 12.3 and 18.7 ms in 256 MB and of 0.38"
                    + " and 0.40 ms with everything cached; with 16 search threads 2.7 and 3.8 ms,"
                    + " 0.23 and 0.24 ms. In 256 MB SifrDB with FC is 4 times as fast as"
                    + " Size-Tiered and 5 times as fast as PebblesDB.");
    List<OptionalLong> provisions = provisions(laboratory, findings);
    addPlot(
        laboratory,
        findings,
        provisions,
        "Mean latency of a get",
        Block.Axis.logarithmic("µs"),
        result -> result.latencies().meanMicros());
    addPlot(
        laboratory,
        findings,
        provisions,
        "Read amplification: bytes fetched from the device per byte asked for",
        Block.Axis.linear("bytes per byte"),
        result -> readAmplification(laboratory, result));
    findings.add(table(laboratory, provisions));
    addClaims(laboratory, findings, provisions);
    return findings.comparable(
        "how latency grows as memory shrinks, and the order of the stores. The ratio of data to"
            + " memory is at most "
            + Numbers.number(ratio(laboratory))
            + " here and 400 in the paper; the limit holds for the JVM, too, which takes about"
            + " a hundred megabytes of it. The cache of each store is an eighth of the limit, and"
            + " at most 64 MiB. The paper has no filters here.");
  }

  private static void addClaims(
      Laboratory laboratory, Findings findings, List<OptionalLong> provisions) {
    OptionalLong least = provisions.get(0);
    Map<String, Double> means = new LinkedHashMap<>();
    Map<String, Double> tails = new HashMap<>();
    Map<String, Map<String, Double>> summary = new LinkedHashMap<>();
    for (Contestant contestant : CONTESTANTS) {
      Map<String, Double> row = new HashMap<>();
      for (OptionalLong provision : provisions) {
        if (isRun(contestant, provision, provisions)) {
          attempt(laboratory, contestant, provision)
              .result()
              .map(RunResult::latencies)
              .ifPresent(latencies -> row.put(label(provision), latencies.meanMicros()));
        }
      }
      attempt(laboratory, contestant, least)
          .result()
          .map(RunResult::latencies)
          .ifPresent(
              latencies -> {
                means.put(contestant.label(), latencies.meanMicros());
                tails.put(contestant.label(), latencies.p99Micros());
              });
      if (contestant.search() != SearchScheme.PRIORITY_AWARE) {
        summary.put(contestant.label(), row);
      }
    }
    findings.summary(
        "mean get, µs", provisions.stream().map(MemoryProvision::label).toList(), summary);
    if (least.isPresent()) {
      findings
          .timeClaim(
              "TPDS",
              "Table 2",
              "in the least memory 16 search threads make the 99th percentile of SifrDB 4.9 times"
                  + " as fast",
              Measured.ratio(
                  "serial, µs", tails.get("sifr, serial"), "FC", tails.get("sifr, FC"), 3.5, 7))
          .timeClaim(
              "TPDS",
              "Fig. 11a",
              "in the least memory SifrDB with FC reads 4 times as fast as Size-Tiered",
              Measured.ratio(
                  "sifr-tiered, µs",
                  means.get("sifr-tiered"),
                  "sifr, FC",
                  means.get("sifr, FC"),
                  3,
                  6));
    } else {
      findings.claim(
          "TPDS",
          "Figs. 7 and 11",
          "in little memory FC reads several times as fast as a serial search",
          Measured.nothing("memory cannot be limited"));
    }
    String where = "gets in " + label(least) + ", µs";
    findings
        .contest(where + ", no filters", Measure.TIME, "sifr, serial", without("filters", means))
        .contest(where + ", filters", Measure.TIME, "sifr, filters", only("sifr, filters", means))
        .contest(
            where + ", filters, 4 clients",
            Measure.TIME,
            "sifr, filters, 4 clients",
            only("sifr, filters, 4 clients", means));
  }

  private static Map<String, Double> without(String word, Map<String, Double> figures) {
    Map<String, Double> kept = new LinkedHashMap<>(figures);
    kept.keySet().removeIf(name -> name.contains(word));
    return kept;
  }

  /** A form of Sifr and the same form of the others. */
  private static Map<String, Double> only(String ours, Map<String, Double> figures) {
    String form = ours.substring(ours.indexOf(','));
    Map<String, Double> kept = new LinkedHashMap<>(figures);
    kept.keySet().removeIf(name -> !name.substring(Math.max(0, name.indexOf(','))).equals(form));
    return kept;
  }

  private static double ratio(Laboratory laboratory) {
    return (double) laboratory.scale().uncachedDataBytes() / laboratory.scale().provisions()[0];
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

  private static Attempt attempt(
      Laboratory laboratory, Contestant contestant, OptionalLong provision) {
    RunSpec plain =
        laboratory.spec(
            contestant.store(),
            laboratory.scale().uncachedShape(),
            laboratory.scale().uncachedEntries(),
            OptionalInt.of(laboratory.scale().uncachedReads()),
            contestant.clients(),
            contestant.filters(),
            Workload.FILLRANDOM,
            Workload.READRANDOM);
    RunSpec spec =
        contestant.search() == SearchScheme.SERIAL
            ? plain
            : plain.withTerms(plain.terms().withSearch(contestant.search(), SEARCH_THREADS));
    return laboratory.attemptOnKeptFill(spec, Workload.READRANDOM, provision);
  }

  private static double readAmplification(Laboratory laboratory, RunResult result) {
    Long read = result.bytesRead();
    return read == null
        ? Double.NaN
        : read / (result.operations() * laboratory.scale().uncachedShape().averageEntryBytes());
  }

  private static void addPlot(
      Laboratory laboratory,
      Findings findings,
      List<OptionalLong> provisions,
      String title,
      Block.Axis axis,
      ToDoubleFunction<RunResult> figure) {
    List<Block.Bars> bars = new ArrayList<>();
    for (Contestant contestant : CONTESTANTS) {
      List<@Nullable Double> values = new ArrayList<>();
      for (OptionalLong provision : provisions) {
        values.add(
            isRun(contestant, provision, provisions)
                ? findings.figure(
                    contestant.label() + " in " + label(provision),
                    attempt(laboratory, contestant, provision),
                    figure)
                : null);
      }
      bars.add(new Block.Bars(contestant.label(), values));
    }
    findings.add(
        new Block.BarPlot(
            title, axis, provisions.stream().map(MemoryProvision::label).toList(), bars));
  }

  private static boolean isRun(
      Contestant contestant, OptionalLong provision, List<OptionalLong> provisions) {
    return !contestant.onlyInLeast() || provision.equals(provisions.get(0));
  }

  private static Block table(Laboratory laboratory, List<OptionalLong> provisions) {
    List<List<String>> rows = new ArrayList<>();
    for (OptionalLong provision : provisions) {
      for (Contestant contestant : CONTESTANTS) {
        if (!isRun(contestant, provision, provisions)) {
          continue;
        }
        attempt(laboratory, contestant, provision)
            .result()
            .ifPresent(
                result ->
                    rows.add(
                        List.of(
                            contestant.label() + " in " + label(provision),
                            Numbers.number(result.latencies().meanMicros()),
                            Numbers.number(result.latencies().p95Micros()),
                            Numbers.number(result.latencies().p99Micros()),
                            Numbers.number(result.cpuSeconds() * 1e6 / result.operations()),
                            Findings.cell(finite(readAmplification(laboratory, result))))));
      }
    }
    return new Block.Table(
        List.of("store and memory", "mean µs", "p95 µs", "p99 µs", "CPU µs a get", "bytes/byte"),
        rows);
  }

  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }
}
