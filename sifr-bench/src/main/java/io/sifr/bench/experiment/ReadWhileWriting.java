package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Workload;
import java.util.List;

/** Gets while one more thread writes as fast as it can. */
final class ReadWhileWriting {
  private ReadWhileWriting() {}

  static void run(Laboratory laboratory, Findings findings) {
    String gets = "gets/s";
    String tail = "p99 of a get, µs";
    String writes = "overwrites/s beside";
    Workload both = Workload.READWHILEWRITING;
    Runs runs =
        new Runs(
            laboratory,
            findings,
            Laboratory.LSM_STORES,
            store ->
                laboratory
                    .spec(store, Workload.FILLRANDOM, both)
                    .withTerms(terms -> terms.withBloom(true).keptBy(store)));
    Grid grid =
        runs.rows(
            new Runs.Column(gets, both, RunResult::opsPerSecond),
            new Runs.Column(tail, both, result -> result.latencies().p99Micros()),
            new Runs.Column(writes, both, result -> result.operationsBeside() / result.seconds()));
    findings
        .contests("read while writing: ", Measure.RATE, grid, List.of(gets, writes))
        .contests("read while writing: ", Measure.TIME, grid, List.of(tail))
        .add(
            grid.only(gets, writes)
                .turned()
                .bars(
                    "Gets and overwrites beside them",
                    Block.Axis.logarithmic("operations a second")))
        .table(grid);
  }
}
