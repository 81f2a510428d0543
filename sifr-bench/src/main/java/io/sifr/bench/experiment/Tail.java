package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.driver.StoreRun;
import io.sifr.bench.measure.Latencies;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.LongConsumer;
import java.util.function.ToDoubleFunction;

/** Latencies of YCSB A at a rate that all stores sustain, on a slow disk. */
final class Tail {
  private static final List<Form> FORMS =
      List.of(Form.FOREST, Form.ROWS, Form.LEVELED, Form.COLUMNS, Form.ROCKSDB);

  /** One in this many of the scale's entries: each store is loaded twice. */
  private static final int SHARE = 4;

  /** The rate is this part of what the slowest store does as fast as it can. */
  private static final int RATE_SHARE = 4;

  private static final String MEAN = "YCSB A, mean, µs";
  private static final String P90 = "p90, µs";
  private static final String P99 = "p99, µs";
  private static final String P999 = "p99.9, µs";
  private static final String DONE = "operations/s";

  private Tail() {}

  static void run(Laboratory laboratory, Findings findings) {
    Optional<String> obstacle = SlowDisk.obstacle(laboratory);
    obstacle.ifPresent(why -> findings.missing("All of it: " + why + "."));
    Map<Form, RunResult> results = new EnumMap<>(Form.class);
    if (obstacle.isEmpty()) {
      double rate = sustainedRate(laboratory);
      findings.fact("rate", Figures.count(rate));
      for (Form form : FORMS) {
        results.put(form, measure(laboratory, form, OptionalDouble.of(rate)));
      }
    } else {
      findings.fact("rate", "no");
    }
    judge(findings, results);
  }

  /** A part of what the slowest store does as fast as it can, its background work included. */
  private static double sustainedRate(Laboratory laboratory) {
    double slowest =
        FORMS.stream()
            .map(form -> measure(laboratory, form, OptionalDouble.empty()))
            .mapToDouble(RunResult::opsPerSecondDrained)
            .min()
            .orElseThrow();
    return Math.max(1, Math.floor(slowest / RATE_SHARE));
  }

  private static void judge(Findings findings, Map<Form, RunResult> results) {
    Grid grid =
        SlowLoads.grid()
            .row(MEAN, row(results, Latencies::meanMicros))
            .row(P90, row(results, Latencies::p90Micros))
            .row(P99, row(results, Latencies::p99Micros))
            .row(P999, row(results, Latencies::p999Micros));
    if (!results.isEmpty()) {
      findings.add(
          grid.bars("Latency of YCSB A at a fixed rate, slow disk", Block.Axis.logarithmic("µs")));
    }
    String rocks = Form.ROCKSDB.label();
    findings
        .fact("megabytes", SlowDisk.MEGABYTES_PER_SECOND)
        .table(grid.and(rates(results)))
        .summary(grid.only(MEAN, P99))
        .contests("slow disk, YCSB A: ", Measure.TIME, grid, List.of(MEAN, P99, P999))
        .timeClaim(
            "MatrixKV Table 2",
            "RocksDB's 99th percentile of YCSB A is 27 times as long as MatrixKV's",
            grid.ratio(P99, rocks, Form.COLUMNS.label()).atLeast(20))
        .timeClaim(
            "MatrixKV Table 2",
            "rows on a fast device make it shorter than RocksDB's (here: the forest)",
            grid.ratio(P99, Form.ROWS.label(), rocks).atMost(0.95));
  }

  /** What shows whether a store keeps up. */
  private static Grid rates(Map<Form, RunResult> results) {
    Grid grid = SlowLoads.grid();
    results.forEach((form, result) -> grid.put(DONE, form.label(), result.opsPerSecond()));
    return grid;
  }

  /** Latencies from the moment when an operation was due. */
  private static Map<String, Double> row(
      Map<Form, RunResult> results, ToDoubleFunction<Latencies> figure) {
    Grid grid = SlowLoads.grid();
    results.forEach(
        (form, result) -> {
          Latencies corrected = result.correctedLatencies();
          if (corrected != null) {
            grid.put("", form.label(), figure.applyAsDouble(corrected));
          }
        });
    return grid.row("");
  }

  /** Loads a store as fast as it can, and measures YCSB A on the disk that is slow from then on. */
  private static RunResult measure(Laboratory laboratory, Form form, OptionalDouble rate) {
    laboratory.tell(
        form.label() + ": YCSB A" + (rate.isPresent() ? " at a fixed rate" : "") + ", slow disk");
    int entries = laboratory.scale().entries() / SHARE;
    int operations =
        rate.isPresent() ? (int) (rate.getAsDouble() * seconds(laboratory.scale())) : entries;
    RunSpec spec =
        laboratory
            .spec(form.kind(), Workload.FILLRANDOM, Workload.YCSB_A)
            .withEntries(entries)
            .withOperations(OptionalInt.of(Math.max(1, operations)))
            .withRate(rate);
    long data = (long) (entries * spec.shape().averageEntryBytes());
    try (SlowDisk disk = SlowDisk.create(laboratory, data)) {
      List<RunResult> results = new ArrayList<>();
      new StoreRun(
              spec.withTerms(terms -> form.terms(laboratory.scale(), disk.fast()).withBloom(true)),
              disk.directory().resolve("store"),
              slowedDown(disk))
          .run(results::add);
      return results.get(1);
    }
  }

  private static int seconds(Scale scale) {
    return switch (scale) {
      case TINY -> 1;
      case SMALL -> 10;
      case MODERATE, MEDIUM, LARGE -> 60;
    };
  }

  private static StoreRun.Progress slowedDown(SlowDisk disk) {
    return new StoreRun.Progress() {
      @Override
      public LongConsumer begin(Workload workload, long operations) {
        if (workload == Workload.YCSB_A) {
          disk.sync();
          disk.slowDown();
        }
        return done -> {};
      }

      @Override
      public void end() {
        // there is nothing to show
      }
    };
  }
}
