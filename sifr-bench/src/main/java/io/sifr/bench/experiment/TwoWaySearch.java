package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.process.MemoryLimit;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Workload;
import io.sifr.config.SearchScheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.ToDoubleFunction;

/** Random reads as the data grows, by distribution. */
final class TwoWaySearch implements Experiment {
  private static final int STEPS = 3;
  private static final List<SearchScheme> WAYS =
      List.of(SearchScheme.SERIAL, SearchScheme.LAST_STAGE);

  private static final List<String> HEADERS =
      List.of("distribution, search and memory", "gets/s", "p95 µs", "p99 µs", "p99.9 µs");

  private enum Distribution {
    UNIFORM("uniform", Workload.READRANDOM),
    ZIPFIAN("Zipfian", Workload.YCSB_C);

    private final String label;
    private final Workload workload;

    Distribution(String label, Workload workload) {
      this.label = label;
      this.workload = workload;
    }
  }

  @Override
  public String name() {
    return "two-way-search";
  }

  @Override
  public String title() {
    return "random reads as the data grows (LSM-trie Figs. 5 to 8, Table 3)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "searching the last level beside all others makes random reads of a store of five"
                    + " levels up to 98 % (on average 72 %) faster in 32 GB of memory, once the last"
                    + " level holds data. With 5 billion entries the 99th percentile falls from 803"
                    + " to 644 µs (uniform) and from 588 to 460 µs (Zipfian), the 99.9th from 2298"
                    + " to 1667 µs and from 941 to 655 µs.");
    List<List<String>> rows = new ArrayList<>();
    addPlots(laboratory, findings, "unlimited memory", OptionalLong.empty(), rows);
    Optional<String> obstacle = MemoryLimit.obstacle();
    if (obstacle.isPresent()) {
      findings.missing("Limited memory: " + obstacle.get() + ".");
    } else {
      long bytes = laboratory.scale().provisions()[0];
      addPlots(laboratory, findings, Figures.mib(bytes), OptionalLong.of(bytes), rows);
    }
    addClaims(laboratory, findings);
    return findings
        .summary(
            new Block.Table(
                HEADERS,
                // Those with the least memory, or all if there is no other.
                rows.subList(Math.max(0, rows.size() - WAYS.size() * 2), rows.size())))
        .add(new Block.Table(HEADERS, rows))
        .comparable(
            "how rates fall as stages are added. LSM-trie finds keys by their hash and has filters"
                + " everywhere; Sifr keeps keys in order, and its filters are off here.");
  }

  private static void addClaims(Laboratory laboratory, Findings findings) {
    findings
        .timeClaim(
            "LSM-trie",
            "Fig. 6",
            "with ample memory, searching the last level beside the others makes random reads 72 %"
                + " faster on average",
            twoWays(laboratory, Distribution.UNIFORM, RunResult::opsPerSecond, 1.4, 2))
        .timeClaim(
            "LSM-trie",
            "Table 3",
            "it makes the 99th percentile a fifth shorter (uniform, Zipfian)",
            twoWays(laboratory, Distribution.UNIFORM, TwoWaySearch::p99, 0, 0.88)
                .and(twoWays(laboratory, Distribution.ZIPFIAN, TwoWaySearch::p99, 0, 0.88)));
  }

  private static double p99(RunResult result) {
    return result.latencies().p99Micros();
  }

  /** A figure of the search in two ways in relation to that of a serial one, of all entries. */
  private static Measured twoWays(
      Laboratory laboratory,
      Distribution distribution,
      ToDoubleFunction<RunResult> figure,
      double least,
      double most) {
    int entries = laboratory.scale().uncachedEntries() / STEPS * STEPS;
    List<Optional<Double>> figures =
        WAYS.stream()
            .map(
                way ->
                    attempt(laboratory, entries, distribution, way, OptionalLong.empty())
                        .result()
                        .map(figure::applyAsDouble))
            .toList();
    return Measured.ratio(
        distribution.label + ", two ways",
        figures.get(1).orElse(null),
        "serial",
        figures.get(0).orElse(null),
        least,
        most);
  }

  private static void addPlots(
      Laboratory laboratory,
      Findings findings,
      String memory,
      OptionalLong provision,
      List<List<String>> rows) {
    List<Block.Series> rates = new ArrayList<>();
    List<Block.Series> tails = new ArrayList<>();
    for (Distribution distribution : Distribution.values()) {
      for (SearchScheme way : WAYS) {
        String label = distribution.label + ", " + Terms.inReports(way);
        List<Double> x = new ArrayList<>();
        List<Double> rate = new ArrayList<>();
        List<Double> tail = new ArrayList<>();
        for (int step = 1; step <= STEPS; step++) {
          int entries = laboratory.scale().uncachedEntries() / STEPS * step;
          Attempt attempt = attempt(laboratory, entries, distribution, way, provision);
          Optional<RunResult> result = findings.result(label + " in " + memory, attempt);
          if (result.isPresent()) {
            x.add(entries / 1e6);
            tail.add(result.get().latencies().p95Micros());
            rate.add(result.get().opsPerSecond());
            if (step == STEPS) {
              rows.add(row(label + ", " + memory, result.get()));
            }
          }
        }
        rates.add(new Block.Series(label, x, rate));
        tails.add(new Block.Series(label, x, tail));
      }
    }
    Block.Axis entries = Block.Axis.linear("entries, millions");
    findings.lines("Gets a second, " + memory, entries, Block.Axis.linear("gets a second"), rates);
    findings.lines("95th percentile of a get, " + memory, entries, Block.Axis.linear("µs"), tails);
  }

  private static List<String> row(String label, RunResult result) {
    return List.of(
        label,
        Numbers.number(result.opsPerSecond()),
        Numbers.number(result.latencies().p95Micros()),
        Numbers.number(result.latencies().p99Micros()),
        Numbers.number(result.latencies().p999Micros()));
  }

  private static Attempt attempt(
      Laboratory laboratory,
      int entries,
      Distribution distribution,
      SearchScheme way,
      OptionalLong provision) {
    RunSpec plain =
        laboratory.spec(
            StoreKind.SIFR,
            laboratory.scale().uncachedShape(),
            entries,
            OptionalInt.of(laboratory.scale().uncachedReads()),
            1,
            false,
            Workload.FILLRANDOM,
            Workload.READRANDOM,
            Workload.YCSB_C);
    RunSpec spec =
        plain.withTerms(plain.terms().withSearch(way, way == SearchScheme.SERIAL ? 1 : 2));
    return laboratory.attemptOnKeptFill(spec, distribution.workload, provision);
  }
}
