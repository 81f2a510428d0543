package io.sifr.bench.experiment;

import io.sifr.ReadOptions;
import io.sifr.bench.measure.DirectReads;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.Labels;
import io.sifr.config.MergeTrigger;
import io.sifr.config.SearchScheme;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Gets and short scans whose blocks have to be read, by scheme, compared with plain reads of as
 * many pages. The speed of a device varies from second to second, so all take turns, a few
 * operations each.
 */
final class ParallelReads implements Experiment {
  private static final int OPERATIONS_A_TURN = 20;

  private static final int SCANNED = 100;

  @Override
  public String name() {
    return "parallel-reads";
  }

  @Override
  public String title() {
    return "reads in parallel, compared with the limits of the device (TPDS §4.2)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "without filters FC reads 2.1 times as fast as a serial search with 17 trees; range"
                    + " queries seek all trees in parallel first.");
    for (MergeTrigger trigger : MergeTrigger.values()) {
      measure(laboratory, trigger, findings);
    }
    return findings.comparable(
        "the ratios to the serial form. A search that needs all trees cannot be faster than the"
            + " plain parallel reads; one that needs only the first few can. p99 depends"
            + " on the device's rare slow reads, of which a parallel search waits for"
            + " the slowest as a serial one does.");
  }

  private static void measure(Laboratory laboratory, MergeTrigger trigger, Findings findings) {
    String label = "sifr, merges " + Labels.of(trigger);
    laboratory.tell(label + ": load");
    try (UncachedStore store =
        new UncachedStore(
            laboratory.directory().resolve("sifr-bench-parallel-reads"),
            laboratory.scale().entries(),
            Laboratory.SMALL_CACHE_BYTES,
            trigger)) {
      int trees = (int) store.statistics().get(Metric.TREES);
      try (DirectReads raw = new DirectReads(store.directory(), ".sst", trees)) {
        laboratory.tell(label + ": reads in turns");
        measure(trigger, store, raw, trees, laboratory.scale().uncachedReadsOfMany(), findings);
      } catch (UnsupportedOperationException e) {
        findings.missing("direct reads: " + e.getMessage());
      }
    }
  }

  private static void measure(
      MergeTrigger trigger,
      UncachedStore store,
      DirectReads raw,
      int trees,
      int operations,
      Findings findings) {
    List<Contender> gets = new ArrayList<>();
    List<Contender> scans = new ArrayList<>();
    for (SearchScheme scheme : SearchScheme.values()) {
      ReadOptions options = UncachedStore.with(scheme);
      gets.add(new Contender("get, " + UncachedStore.label(scheme), () -> store.get(options)));
    }
    for (SearchScheme scheme : List.of(SearchScheme.SERIAL, SearchScheme.ADAPTIVE)) {
      ReadOptions options = UncachedStore.with(scheme);
      scans.add(
          new Contender(
              "scan of " + SCANNED + ", " + UncachedStore.label(scheme),
              () -> store.scan(SCANNED, options)));
    }
    List<Contender> limits =
        List.of(
            new Contender(trees + " plain reads, one by one", () -> raw.oneByOne(trees)),
            new Contender(trees + " plain reads at once", () -> raw.atOnce(trees)));
    List<Contender> all = new ArrayList<>(gets);
    all.addAll(scans);
    all.addAll(limits);
    int turns = operations / OPERATIONS_A_TURN;
    // Meanwhile the JVM compiles, on the processors that woken threads would need.
    int uncounted = Math.max(1, turns / 4);
    for (int turn = -uncounted; turn < turns; turn++) {
      for (int i = 0; i < all.size(); i++) {
        // Every contender follows every other one.
        Contender next = all.get((i * (1 + Math.abs(turn) % 2) + Math.abs(turn)) % all.size());
        next.takeTurn(store, turn >= 0);
      }
    }
    if (trigger == MergeTrigger.LAZY) {
      addClaims(findings, trees, gets, scans);
    }
    List<List<String>> rows = new ArrayList<>();
    gets.forEach(contender -> rows.add(contender.row(gets.get(0))));
    scans.forEach(contender -> rows.add(contender.row(scans.get(0))));
    limits.forEach(contender -> rows.add(contender.row(limits.get(0))));
    findings
        .add(
            new Block.BarPlot(
                "Mean latency, " + trees + " trees, direct reads, no filters",
                Block.Axis.linear("µs"),
                all.stream().map(Contender::name).toList(),
                List.of(new Block.Bars("mean", all.stream().map(Contender::meanMicros).toList()))))
        .add(
            new Block.Table(
                List.of(
                    "operation",
                    "mean, µs",
                    "of serial",
                    "p50, µs",
                    "p99, µs",
                    "of serial",
                    "blocks read",
                    "useless"),
                rows));
  }

  private static void addClaims(
      Findings findings, int trees, List<Contender> gets, List<Contender> scans) {
    findings.timeClaim(
        "TPDS",
        "§5.3.4",
        "seeking all trees in parallel makes SifrDB's range queries 42 % faster",
        Measured.ratio(
            trees + " trees, serial, µs",
            scans.get(0).meanMicros(),
            "adaptive",
            scans.get(1).meanMicros(),
            1.2,
            Double.MAX_VALUE));
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    for (List<Contender> contenders : List.of(gets, scans)) {
      for (Contender contender :
          List.of(contenders.get(0), contenders.get(contenders.size() - 1))) {
        rows.put(
            contender.name(),
            Map.of("mean, µs", contender.meanMicros(), "p99, µs", contender.p99Micros()));
      }
    }
    findings.summary(trees + " trees", List.of("mean, µs", "p99, µs"), rows);
  }

  /** One way to read. */
  private static final class Contender {
    private final String name;
    private final LongSupplier operation;
    private final Histogram nanos = new Histogram(3);
    private long reads;
    private long inVain;

    Contender(String name, LongSupplier operation) {
      this.name = name;
      this.operation = operation;
    }

    String name() {
      return name;
    }

    Double meanMicros() {
      return nanos.getMean() / 1000;
    }

    private double p99Micros() {
      return nanos.getValueAtPercentile(99) / 1000.0;
    }

    void takeTurn(UncachedStore store, boolean counts) {
      StoreStatistics before = store.statistics();
      for (int i = 0; i < OPERATIONS_A_TURN; i++) {
        long took = operation.getAsLong();
        if (counts) {
          nanos.recordValue(took);
        }
      }
      StoreStatistics after = store.statistics();
      if (counts) {
        reads += after.get(Metric.FILE_READS) - before.get(Metric.FILE_READS);
        inVain += after.get(Metric.USELESS_READS) - before.get(Metric.USELESS_READS);
      }
    }

    List<String> row(Contender serial) {
      double count = nanos.getTotalCount();
      return List.of(
          name,
          Numbers.number(meanMicros()),
          Numbers.number(meanMicros() / serial.meanMicros()),
          Numbers.number(nanos.getValueAtPercentile(50) / 1000.0),
          Numbers.number(p99Micros()),
          Numbers.number(p99Micros() / serial.p99Micros()),
          Numbers.number(reads / count),
          Numbers.number(inVain / count));
    }
  }
}
