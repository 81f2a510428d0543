package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bytes that a slow disk is given to write, by the size of a random load. */
final class SlowBytes {
  private static final String ALL = "bytes/byte";
  private static final String HALF = "of the first half";
  private static final String TABLES = "SSTs, on either device";

  private SlowBytes() {}

  static void run(Laboratory laboratory, Findings findings) {
    SlowLoads loads = new SlowLoads(laboratory, findings, List.of(Form.values()));
    Grid grid =
        SlowLoads.grid()
            .row(ALL, loads.figures(SlowLoad::slowBytesPerByte))
            .row(HALF, loads.figures(load -> ofTheFirstHalf(load.slowBytesBySize())))
            .row(TABLES, loads.figures(load -> load.result().writeAmplification()));
    findings
        .lines(
            "Bytes that the slow disk was given for each byte of the user, by the size of the load",
            Block.Axis.linear("user data inserted, MiB"),
            Block.Axis.linear("bytes per byte"),
            loads.lines(SlowLoad::slowBytesBySize))
        .table(grid)
        .summary(grid.only(ALL))
        .contest("slow disk, random load: bytes/byte", Measure.AMOUNT, grid.row(ALL))
        .claimOfMuchData(
            "MatrixKV Fig. 13",
            "RocksDB writes 2.56 times as many bytes to the slow device as MatrixKV does",
            grid.ratio(ALL, Form.ROCKSDB.label(), Form.COLUMNS.label()).atLeast(2.3))
        .claimOfMuchData(
            "the model of a container",
            "rows on a fast device spare the slow one a third of what the forest writes",
            grid.ratio(ALL, Form.ROWS.label(), Form.FOREST.label()).atMost(2 / 3.0));
  }

  private static @Nullable Double ofTheFirstHalf(Block.Series line) {
    int last = line.x().size() - 1;
    for (int i = 0; i <= last; i++) {
      if (line.x().get(i) >= line.x().get(last) / 2) {
        return line.y().get(i);
      }
    }
    return null;
  }
}
