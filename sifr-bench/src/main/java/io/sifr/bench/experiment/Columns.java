package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.workload.KeySpace;
import io.sifr.bench.workload.Shape;
import io.sifr.event.StoreListener.CompactionEvent;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The sizes, times and keys of compactions, above all of those of the first stage. */
final class Columns {
  private static final List<Form> FORMS = List.of(Form.LEVELED, Form.SMALL_LEVEL, Form.COLUMNS);

  /** SSTs that a column has with what it overlaps, at most: the growth factor (MatrixKV, §3.3). */
  private static final int SSTS_OF_A_COLUMN = 10;

  /** A column ends with an SST, and not in it. */
  private static final double TOLERANCE = 1.1;

  private static final String NUMBER = "compactions of the first stage";
  private static final String MEAN = "their mean, MiB";
  private static final String LARGEST = "their largest, MiB";
  private static final String LONGEST = "their longest, ms";
  private static final String SPAN = "their mean span, % of the keys";
  private static final String SUM = "all of them, MiB";
  private static final String OTHERS = "compactions of other stages";
  private static final String LARGEST_OTHER = "the largest of these, MiB";

  private Columns() {}

  static void run(Laboratory laboratory, Findings findings) {
    SlowLoads loads = new SlowLoads(laboratory, findings, FORMS);
    ToDoubleFunction<CompactionEvent> mib = event -> Figures.inMib(writtenBytes(event));
    ToDoubleFunction<CompactionEvent> millis = event -> event.nanos() / 1e6;
    KeySpace keys = new KeySpace(Shape.PAPER.keyBytes(), laboratory.scale().entries(), 0);
    ToDoubleFunction<CompactionEvent> span = event -> Span.of(event, keys).width();
    Grid grid =
        SlowLoads.grid()
            .row(NUMBER, loads.figures(load -> load.firstStage().size()))
            .row(MEAN, loads.figures(load -> mean(load.firstStage(), mib)))
            .row(LARGEST, loads.figures(load -> largest(load.firstStage(), mib)))
            .row(LONGEST, loads.figures(load -> largest(load.firstStage(), millis)))
            .row(SPAN, loads.figures(load -> mean(load.firstStage(), span)))
            .row(SUM, loads.figures(load -> sum(load.firstStage(), mib)))
            .row(OTHERS, loads.figures(load -> load.furtherStages().size()))
            .row(LARGEST_OTHER, loads.figures(load -> largest(load.furtherStages(), mib)));
    double column = SSTS_OF_A_COLUMN * Figures.inMib(Form.sstBytes(laboratory.scale()));
    findings
        .lines(
            "Bytes that each compaction of the first stage wrote",
            Block.Axis.linear("number of the compaction"),
            Block.Axis.logarithmic("MiB"),
            lines(loads, SlowLoad::firstStage, mib))
        .lines(
            "Time that each compaction of the first stage took",
            Block.Axis.linear("number of the compaction"),
            Block.Axis.logarithmic("ms"),
            lines(loads, SlowLoad::firstStage, millis))
        .lines(
            "Keys that each compaction of the first stage had",
            Block.Axis.linear("number of the compaction"),
            Block.Axis.logarithmic("% of the key space"),
            lines(loads, SlowLoad::firstStage, span))
        .lines(
            "Where in the key space the columns began and ended",
            Block.Axis.linear("number of the column"),
            Block.Axis.linear("% of the key space"),
            loads.of(Form.COLUMNS).map(load -> places(load, keys)).orElse(List.of()))
        .lines(
            "Bytes that each compaction of any stage wrote",
            Block.Axis.linear("number of the compaction"),
            Block.Axis.logarithmic("MiB"),
            lines(loads, SlowLoad::compactions, mib))
        .table(grid)
        .summary(grid.only(LARGEST))
        .claim(
            "MatrixKV Fig. 14",
            "a column with what it overlaps has as many SSTs as the growth factor at most",
            Measured.ratio(
                    "largest of " + Form.COLUMNS.label() + ", MiB",
                    grid.get(LARGEST, Form.COLUMNS.label()),
                    "ten SSTs",
                    column)
                .atMost(TOLERANCE))
        .timeClaim(
            "MatrixKV Fig. 14",
            "the longest column takes less time than the longest merge of a first level as usual",
            grid.ratio(LONGEST, Form.COLUMNS.label(), Form.LEVELED.label()).atMost(1));
  }

  /** What was moved was not read or written. */
  private static long writtenBytes(CompactionEvent event) {
    return event.output().written().bytes();
  }

  /** Where the columns of a load begin and end, one after the other: they go round. */
  static List<Block.Series> places(SlowLoad load, KeySpace keys) {
    return List.of(
        line("begin", load.firstStage(), event -> Span.of(event, keys).begin()),
        line("end", load.firstStage(), event -> Span.of(event, keys).end()));
  }

  private static @Nullable Double largest(
      List<CompactionEvent> events, ToDoubleFunction<CompactionEvent> figure) {
    return events.isEmpty()
        ? null
        : (Double) events.stream().mapToDouble(figure).max().orElseThrow();
  }

  private static @Nullable Double mean(
      List<CompactionEvent> events, ToDoubleFunction<CompactionEvent> figure) {
    return events.isEmpty() ? null : (Double) (sum(events, figure) / events.size());
  }

  private static double sum(
      List<CompactionEvent> events, ToDoubleFunction<CompactionEvent> figure) {
    return events.stream().mapToDouble(figure).sum();
  }

  private static List<Block.Series> lines(
      SlowLoads loads,
      Function<SlowLoad, List<CompactionEvent>> events,
      ToDoubleFunction<CompactionEvent> figure) {
    return loads.lines(load -> line(load.form().label(), events.apply(load), figure));
  }

  /** Without those that only moved something, or had nothing left. */
  private static Block.Series line(
      String name, List<CompactionEvent> events, ToDoubleFunction<CompactionEvent> figure) {
    List<CompactionEvent> shown = events.stream().filter(event -> writtenBytes(event) > 0).toList();
    return new Block.Series(
        name,
        IntStream.rangeClosed(1, shown.size()).mapToObj(number -> (double) number).toList(),
        shown.stream().map(event -> figure.applyAsDouble(event)).toList());
  }
}
