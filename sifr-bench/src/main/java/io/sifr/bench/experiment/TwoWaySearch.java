package io.sifr.bench.experiment;

import com.google.common.collect.ImmutableMap;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.process.MemoryLimit;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Workload;
import io.sifr.config.SearchScheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Random reads as the data grows, by distribution. */
final class TwoWaySearch {
  private static final int STEPS = 3;
  private static final List<SearchScheme> WAYS =
      List.of(SearchScheme.SERIAL, SearchScheme.LAST_STAGE);
  private static final Map<String, Workload> DISTRIBUTIONS =
      ImmutableMap.of("uniform", Workload.READRANDOM, "Zipfian", Workload.YCSB_C);

  private static final String RATE = "gets/s";
  private static final String TAIL = "p99 µs";

  private TwoWaySearch() {}

  static void run(Laboratory laboratory, Findings findings) {
    Grid unlimited = measure(laboratory, findings, "unlimited memory", OptionalLong.empty());
    Grid limited = unlimited.only();
    Optional<String> obstacle = MemoryLimit.obstacle();
    if (obstacle.isPresent()) {
      findings.missing("Limited memory: " + obstacle.get() + ".");
    } else {
      long bytes = laboratory.scale().provisions()[0];
      limited = measure(laboratory, findings, Figures.mib(bytes), OptionalLong.of(bytes));
    }
    findings
        .timeClaim(
            "LSM-trie Fig. 6",
            "with ample memory, searching the last level beside the others makes random reads 72 %"
                + " faster on average",
            effect(unlimited, RATE, "uniform").within(1.4, 2))
        .timeClaim(
            "LSM-trie Table 3",
            "it makes the 99th percentile a fifth shorter (uniform, Zipfian)",
            effect(unlimited, TAIL, "uniform")
                .atMost(0.88)
                .and(effect(unlimited, TAIL, "Zipfian").atMost(0.88)))
        .summary(limited.rows().isEmpty() ? unlimited : limited)
        .table(unlimited.and(limited));
  }

  /** The search in two ways in relation to a serial one, of all entries. */
  private static Measured.Reading effect(Grid grid, String figure, String distribution) {
    return grid.ratioOfRows(
        figure,
        name(distribution, SearchScheme.LAST_STAGE, "unlimited memory"),
        name(distribution, SearchScheme.SERIAL, "unlimited memory"));
  }

  private static String name(String distribution, SearchScheme way, String memory) {
    return distribution + ", " + Terms.inReports(way) + ", " + memory;
  }

  /** Draws the reads as the data grows, and returns those of all data. */
  private static Grid measure(
      Laboratory laboratory, Findings findings, String memory, OptionalLong provision) {
    Grid grid =
        new Grid("distribution, search and memory", List.of(RATE, "p95 µs", TAIL, "p99.9 µs"));
    List<Block.Series> rates = new ArrayList<>();
    List<Block.Series> tails = new ArrayList<>();
    DISTRIBUTIONS.forEach(
        (distribution, workload) -> {
          for (SearchScheme way : WAYS) {
            List<Double> x = new ArrayList<>();
            List<Double> rate = new ArrayList<>();
            List<Double> tail = new ArrayList<>();
            for (int step = 1; step <= STEPS; step++) {
              int entries = laboratory.scale().uncachedEntries() / STEPS * step;
              String name = name(distribution, way, memory);
              Optional<RunResult> result =
                  findings.result(name, attempt(laboratory, entries, workload, way, provision));
              if (result.isPresent()) {
                x.add(entries / 1e6);
                rate.add(result.get().opsPerSecond());
                tail.add(result.get().latencies().p95Micros());
                if (step == STEPS) {
                  grid.put(name, RATE, result.get().opsPerSecond())
                      .put(name, "p95 µs", result.get().latencies().p95Micros())
                      .put(name, TAIL, result.get().latencies().p99Micros())
                      .put(name, "p99.9 µs", result.get().latencies().p999Micros());
                }
              }
            }
            String label = distribution + ", " + Terms.inReports(way);
            rates.add(new Block.Series(label, x, rate));
            tails.add(new Block.Series(label, x, tail));
          }
        });
    Block.Axis entries = Block.Axis.linear("entries, millions");
    findings.lines("Gets a second, " + memory, entries, Block.Axis.linear("gets a second"), rates);
    findings.lines("95th percentile of a get, " + memory, entries, Block.Axis.linear("µs"), tails);
    return grid;
  }

  private static Laboratory.Attempt attempt(
      Laboratory laboratory,
      int entries,
      Workload workload,
      SearchScheme way,
      OptionalLong provision) {
    return laboratory.attemptOnKeptFill(
        laboratory
            .uncachedSpec(StoreKind.SIFR, Workload.FILLRANDOM, Workload.READRANDOM, Workload.YCSB_C)
            .withShape(laboratory.scale().uncachedShape())
            .withEntries(entries)
            .withTerms(terms -> terms.withSearch(way, way == SearchScheme.SERIAL ? 1 : 2)),
        workload,
        provision);
  }
}
