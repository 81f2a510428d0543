package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Workload;
import java.util.List;

/** Write amplification and throughput of sequential and random loads. */
final class Writing {
  private static final String SEQUENTIAL_BYTES = "sequential, bytes/byte";
  private static final String SEQUENTIAL_RATE = "sequential, thousand/s";
  private static final String RANDOM_BYTES = "random, bytes/byte";
  private static final String RANDOM_RATE = "random, thousand/s";
  private static final String CPU = "random, CPU µs an entry";
  private static final String SSTS = "SSTs of a sequential load, bytes/byte";

  private Writing() {}

  static void run(Laboratory laboratory, Findings findings) {
    Workload sequential = Workload.FILLSEQ;
    Workload random = Workload.FILLRANDOM;
    Runs loads =
        new Runs(
            laboratory,
            findings,
            Laboratory.LSM_STORES,
            store -> laboratory.spec(store, Workload.FILLSEQ));
    Runs base = Runs.base(laboratory, findings);
    Grid grid =
        base.grid()
            .row(SEQUENTIAL_BYTES, loads.figures(sequential, RunResult::writeAmplificationWithLog))
            .row(SEQUENTIAL_RATE, loads.figures(sequential, Writing::thousandASecond))
            .row(RANDOM_BYTES, base.figures(random, RunResult::writeAmplificationWithLog))
            .row(RANDOM_RATE, base.figures(random, Writing::thousandASecond))
            .row(CPU, base.figures(random, RunResult::cpuMicros));
    Grid ssts = base.grid().row(SSTS, loads.figures(sequential, RunResult::writeAmplification));
    findings
        .add(
            grid.only(SEQUENTIAL_BYTES, RANDOM_BYTES)
                .turned()
                .bars(
                    "Bytes the process wrote per user byte, log included",
                    Block.Axis.linear("bytes/byte")))
        .add(
            grid.only(SEQUENTIAL_RATE, RANDOM_RATE)
                .turned()
                .bars("Entries per second, compactions drained", Block.Axis.linear("thousand/s")));
    addClaims(findings, grid, ssts);
    findings
        .contests("load, ", Measure.AMOUNT, grid, List.of(SEQUENTIAL_BYTES, RANDOM_BYTES))
        .contests("load, ", Measure.RATE, grid, List.of(SEQUENTIAL_RATE, RANDOM_RATE))
        .contests("load, ", Measure.TIME, grid, List.of(CPU));
    addContests(findings, sequential, loads);
    addContests(findings, random, base);
    findings
        .table(details(loads, sequential))
        .table(details(base, random))
        .summary(grid.only(SEQUENTIAL_BYTES, SEQUENTIAL_RATE, RANDOM_BYTES, RANDOM_RATE));
  }

  private static void addClaims(Findings findings, Grid grid, Grid ssts) {
    findings
        .claim(
            "TPDS Fig. 9a",
            "SifrDB does not amplify a sequential load",
            ssts.reading(SSTS, "sifr").atMost(1.15))
        .claim(
            "TPDS Fig. 9a",
            "Size-Tiered amplifies a sequential load (8 times, of 118 GB)",
            ssts.reading(SSTS, "sifr-tiered").atLeast(2))
        .claim(
            "TPDS Fig. 9a",
            "PebblesDB amplifies a sequential load (6 times, of 118 GB)",
            ssts.reading(SSTS, "sifr-guarded").atLeast(2))
        .claim(
            "TPDS Fig. 9a",
            "the forests amplify a random load alike",
            grid.ratio(RANDOM_BYTES, "sifr-tiered", "sifr").within(0.8, 1.25))
        .claim(
            "TPDS Fig. 9a",
            "LevelDB amplifies a random load much more than SifrDB",
            grid.ratio(RANDOM_BYTES, "sifr-leveled", "sifr")
                .atLeast(1.5)
                .and(grid.ratio(RANDOM_BYTES, "leveldb", "sifr").atLeast(1.5)))
        .timeClaim(
            "TPDS Fig. 9b",
            "SifrDB writes a random load 11 times as fast as LevelDB and RocksDB",
            grid.ratio(RANDOM_RATE, "sifr", "leveldb")
                .atLeast(8)
                .and(grid.ratio(RANDOM_RATE, "sifr", "rocksdb").atLeast(8)))
        .timeClaim(
            "TPDS Fig. 9b",
            "SifrDB writes a random load faster than the trees",
            grid.ratio(RANDOM_RATE, "sifr", "rocksdb")
                .atLeast(1.1)
                .and(grid.ratio(RANDOM_RATE, "sifr", "sifr-leveled").atLeast(1.1)));
  }

  private static void addContests(Findings findings, Workload load, Runs runs) {
    findings
        .contest(
            load.label() + ", longest stall, ms",
            Measure.TIME,
            runs.figures(load, RunResult::longestStallMillis))
        .contest(
            load.label() + ", 99.9th percentile of a put, µs",
            Measure.TIME,
            runs.figures(load, result -> result.latencies().p999Micros()));
  }

  private static double thousandASecond(RunResult result) {
    return result.opsPerSecondDrained() / 1000;
  }

  private static Grid details(Runs runs, Workload load) {
    return runs.table(
        load.label(),
        List.of(
            new Runs.Column("entries/s", load, RunResult::opsPerSecond),
            new Runs.Column("drained", load, RunResult::opsPerSecondDrained),
            new Runs.Column("WA tables", load, RunResult::writeAmplification),
            new Runs.Column("WA process", load, RunResult::writeAmplificationWithLog),
            new Runs.Column("CPU µs per entry", load, RunResult::cpuMicros),
            new Runs.Column("p99.9 µs", load, result -> result.latencies().p999Micros()),
            new Runs.Column("longest stall ms", load, RunResult::longestStallMillis)));
  }
}
