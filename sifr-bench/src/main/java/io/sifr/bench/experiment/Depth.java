package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import java.util.List;

/** A first level of a few flushes, and one that is as large as the container of rows before it. */
final class Depth {
  private static final List<Form> FORMS =
      List.of(Form.LEVELED, Form.SMALL_LEVEL, Form.COLUMNS, Form.ROCKSDB);

  private static final String RATE = "thousand/s";
  private static final String DRAINED = "thousand/s, drained";
  private static final String BYTES = "slow disk, bytes/byte";
  private static final String RUNS = "sorted runs at the end";

  private Depth() {}

  static void run(Laboratory laboratory, Findings findings) {
    SlowLoads loads = new SlowLoads(laboratory, findings, FORMS);
    Grid grid =
        SlowLoads.grid()
            .row(RATE, loads.figures(load -> load.result().opsPerSecond() / 1e3))
            .row(DRAINED, loads.figures(load -> load.result().opsPerSecondDrained() / 1e3))
            .row(BYTES, loads.figures(SlowLoad::slowBytesPerByte))
            .row(RUNS, loads.figures(load -> load.result().sortedRuns()));
    String large = Form.COLUMNS.label();
    String small = Form.SMALL_LEVEL.label();
    if (!loads.isEmpty()) {
      findings.add(
          grid.only(RATE, DRAINED)
              .bars("A random load on a slow disk", Block.Axis.linear("thousand a second")));
    }
    findings
        .table(grid)
        .summary(grid.only(DRAINED, RUNS))
        .timeClaim(
            "MatrixKV Fig. 16",
            "with a first level as large as the container a random load is 25 % faster",
            grid.ratio(DRAINED, large, small).atLeast(1.15))
        .claimOfMuchData(
            "MatrixKV Fig. 16",
            "it gives the slow device fewer bytes",
            grid.ratio(BYTES, large, small).atMost(0.95));
  }
}
