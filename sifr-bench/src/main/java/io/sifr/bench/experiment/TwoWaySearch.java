package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.process.MemoryLimit;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Random reads as the data grows, by distribution. */
final class TwoWaySearch implements Experiment {
  private static final int STEPS = 3;

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
  public List<Block> run(Laboratory laboratory) {
    Findings findings =
        new Findings()
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
    return findings
        .add(
            new Block.Table(
                List.of("distribution and memory", "gets/s", "p95 µs", "p99 µs", "p99.9 µs"), rows))
        .missing(
            "The two-way search: these runs search the trees one after the other. The curves are"
                + " those it is to be compared with.")
        .comparable(
            "how rates fall as stages are added. LSM-trie finds keys by their hash and has filters"
                + " everywhere; Sifr keeps them in order, and its filters are off here.")
        .blocks();
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
      List<Double> x = new ArrayList<>();
      List<Double> rate = new ArrayList<>();
      List<Double> tail = new ArrayList<>();
      for (int step = 1; step <= STEPS; step++) {
        int entries = laboratory.scale().entries() / STEPS * step;
        Attempt attempt = attempt(laboratory, entries, distribution, provision);
        Double figure =
            findings.figure(
                distribution.label + " in " + memory,
                attempt,
                result -> result.latencies().p95Micros());
        if (figure != null && attempt.result().isPresent()) {
          x.add(entries / 1e6);
          tail.add(figure);
          rate.add(attempt.result().get().opsPerSecond());
        }
        if (step == STEPS) {
          attempt
              .result()
              .ifPresent(
                  result ->
                      rows.add(
                          List.of(
                              distribution.label + ", " + memory,
                              Numbers.number(result.opsPerSecond()),
                              Numbers.number(result.latencies().p95Micros()),
                              Numbers.number(result.latencies().p99Micros()),
                              Numbers.number(result.latencies().p999Micros()))));
        }
      }
      rates.add(new Block.Series(distribution.label, x, rate));
      tails.add(new Block.Series(distribution.label, x, tail));
    }
    Block.Axis entries = Block.Axis.linear("entries, millions");
    findings.lines(
        "Gets a second, serial search, " + memory,
        entries,
        Block.Axis.linear("gets a second"),
        rates);
    findings.lines(
        "95th percentile of a get, serial search, " + memory,
        entries,
        Block.Axis.linear("µs"),
        tails);
  }

  private static Attempt attempt(
      Laboratory laboratory, int entries, Distribution distribution, OptionalLong provision) {
    RunSpec spec =
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
    return laboratory.attempt(spec, distribution.workload, provision);
  }
}
