package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.report.Block;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The evenness of a random load on a device that is slower than the store. */
final class WriteStalls {
  private static final List<Form> FORMS =
      List.of(Form.FOREST, Form.ROWS, Form.LEVELED, Form.COLUMNS, Form.ROCKSDB);

  private static final String RATE = "thousand/s";
  private static final String SLOWEST = "slowest second, % of the mean";
  private static final String LONGEST = "longest pause, ms";
  private static final String P99 = "p99 of a put, µs";
  private static final String P999 = "p99.9, µs";
  private static final String DRAIN = "drained after, s";
  private static final String DEVICE = "slow device, MB/s";

  private WriteStalls() {}

  static void run(Laboratory laboratory, Findings findings) {
    SlowLoads loads = new SlowLoads(laboratory, findings, FORMS);
    Grid grid =
        SlowLoads.grid()
            .row(RATE, loads.figures(load -> load.result().opsPerSecond() / 1e3))
            .row(SLOWEST, loads.figures(load -> slowestPercent(load.result())))
            .row(LONGEST, loads.figures(load -> load.result().longestStallMillis()))
            .row(P99, loads.figures(load -> load.result().latencies().p99Micros()))
            .row(P999, loads.figures(load -> load.result().latencies().p999Micros()))
            .row(DRAIN, loads.figures(load -> load.result().drainSeconds()))
            .row(DEVICE, loads.figures(SlowLoad::slowMegabytesPerSecond));
    String rows = Form.ROWS.label();
    String rocks = Form.ROCKSDB.label();
    findings
        .lines(
            "Entries a second, second by second, on a slow disk",
            Block.Axis.linear("seconds"),
            Block.Axis.linear("entries a second"),
            loads.lines(load -> RandomLoads.bySecond(load.form().label(), load.result())))
        .lines(
            "Latency of a put on a slow disk, by how rare it is",
            Block.Axis.logarithmic("one of … puts takes longer"),
            Block.Axis.logarithmic("µs"),
            loads.lines(load -> RandomLoads.byRarity(load.form().label(), load.result())))
        .table(grid)
        .summary(grid.only(RATE, SLOWEST, LONGEST, P999))
        .contests("slow disk, random load: ", Measure.RATE, grid, List.of(RATE, SLOWEST))
        .contests("slow disk, random load: ", Measure.TIME, grid, List.of(LONGEST, P99, P999))
        .timeClaim(
            "MatrixKV Fig. 2",
            "on a slow device RocksDB's throughput falls to nearly zero at times",
            grid.reading(SLOWEST, rocks).atMost(15))
        .timeClaim(
            "MatrixKV Fig. 12",
            "with rows on a fast device the slowest second has half of the mean at least",
            grid.reading(SLOWEST, rows).atLeast(50))
        .timeClaim(
            "MatrixKV §5.2",
            "the 99.9th percentile of a put is then a third of RocksDB's at most",
            grid.ratio(P999, rows, rocks).atMost(1 / 3.0));
  }

  /** What the second with the fewest entries has; the last, incomplete one is left out. */
  private static @Nullable Double slowestPercent(RunResult load) {
    return load.opsEachSecond().isEmpty()
        ? null
        : 100 * Collections.min(load.opsEachSecond()) / load.opsPerSecond();
  }
}
