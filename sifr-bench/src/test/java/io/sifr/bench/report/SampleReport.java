package io.sifr.bench.report;

import io.sifr.bench.report.Block.Axis;
import io.sifr.bench.report.Block.BarPlot;
import io.sifr.bench.report.Block.Bars;
import io.sifr.bench.report.Block.Code;
import io.sifr.bench.report.Block.LinePlot;
import io.sifr.bench.report.Block.Missing;
import io.sifr.bench.report.Block.Series;
import io.sifr.bench.report.Block.Table;
import io.sifr.bench.report.Block.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A report with every kind of block and about as many figures as a real one. */
final class SampleReport {
  private static final List<String> STORES =
      List.of("sifr", "rocksdb", "rocksdb-universal", "leveldb", "mvstore", "lmdb", "xodus");
  private static final List<String> WORKLOADS =
      List.of("load", "overwrite", "random gets", "absent gets", "short scans", "mixed 50:50");

  private SampleReport() {}

  static Report create() {
    Random random = new Random(20);
    return new Report(
        "Sifr <measured> & compared",
        List.of(
            new Report.Section(
                "Result",
                List.of(
                    new Text(
                        "Seven stores held 10 M entries of 16 B keys & 100 B values, <each> alone"
                            + " on the machine, with 256 MiB of memory for blocks."),
                    new Missing("lmdb could not meet the term \"write buffer\"; no figures."),
                    summary(random))),
            new Report.Section(
                "Throughput", List.of(throughput(random), workloads(random), amplification())),
            new Report.Section(
                "Latency",
                List.of(latencies(random), new LinePlot("Stalls", SECONDS, OPS, List.of()))),
            new Report.Section(
                "How to repeat it",
                List.of(
                    new Code(
                        "sifr-bench run \\\n    --store sifr --entries 10M load && echo \"<ok>\"\n"),
                    new Table(
                        List.of("", "measured on"),
                        List.of(
                            List.of("processor", "An Imagined Processor @ 2.5 GHz"),
                            List.of("processors", "16"),
                            List.of("memory", "64.0 GiB")))))));
  }

  private static final Axis SECONDS = Axis.linear("seconds since the begin");
  private static final Axis OPS = Axis.linear("operations/s");

  private static Table summary(Random random) {
    List<List<String>> rows = new ArrayList<>();
    for (String store : STORES) {
      List<String> row = new ArrayList<>();
      row.add(store);
      for (int i = 0; i < 9; i++) {
        boolean absent = store.equals("lmdb") && i > 4;
        row.add(absent ? Numbers.NONE : Numbers.cell(Math.pow(10, random.nextDouble() * 6 - 1)));
      }
      row.add(store.equals("lmdb") ? Numbers.NONE : "1.%d GiB".formatted(random.nextInt(10)));
      rows.add(row);
    }
    return new Table(
        List.of(
            "store",
            "ops/s",
            "drained/s",
            "p50 µs",
            "p99 µs",
            "p99.9 µs",
            "max µs",
            "stall ms",
            "write amp.",
            "CPU s",
            "peak disk"),
        rows);
  }

  private static LinePlot throughput(Random random) {
    List<Series> lines = new ArrayList<>();
    for (int s = 0; s < STORES.size(); s++) {
      double base = 600_000.0 / (s + 1);
      List<Double> x = new ArrayList<>();
      List<Double> y = new ArrayList<>();
      for (int i = 0; i < 600; i++) {
        x.add(i * 0.5 + s * 0.01);
        boolean stall = s == 3 && i % 97 < 3;
        y.add(stall ? 0 : base * (0.85 + 0.3 * random.nextDouble()) * (1 - 0.4 * i / 600));
      }
      lines.add(new Series(STORES.get(s), x, y));
    }
    return new LinePlot("Puts per second while loading", SECONDS, OPS, lines);
  }

  private static BarPlot workloads(Random random) {
    List<Bars> bars = new ArrayList<>();
    for (String store : STORES) {
      List<@Nullable Double> values = new ArrayList<>();
      for (int i = 0; i < WORKLOADS.size(); i++) {
        boolean absent = store.equals("lmdb") && i < 2;
        values.add(absent ? null : 50_000 * Math.exp(random.nextGaussian()));
      }
      bars.add(new Bars(store, values));
    }
    return new BarPlot("Operations per second of each workload", OPS, WORKLOADS, bars);
  }

  private static BarPlot amplification() {
    return new BarPlot(
        "Write amplification, by growth factor",
        Axis.logarithmic("bytes written / bytes put"),
        List.of(
            "growth factor of four",
            "growth factor of eight",
            "growth factor of sixteen",
            "growth factor of thirty-two",
            "growth factor of sixty-four",
            "unlimited"),
        List.of(
            new Bars("sifr", Arrays.asList(3.1, 2.4, 2.0, 1.7, 1.5, 1.0)),
            new Bars("rocksdb", Arrays.asList(8.0, 11.5, 17.0, 31.0, 55.0, null)),
            new Bars("xodus", Arrays.asList(0.0, 4.0, 23.0, null, null, 2.0))));
  }

  private static LinePlot latencies(Random random) {
    List<Double> shares = List.of(50.0, 90.0, 99.0, 99.9, 99.99, 99.999);
    List<Series> lines = new ArrayList<>();
    for (int s = 0; s < STORES.size(); s++) {
      double micros = 2 + s;
      List<Double> y = new ArrayList<>();
      for (int i = 0; i < shares.size(); i++) {
        y.add(micros);
        micros *= 1.2 + 6 * random.nextDouble();
      }
      if (s == 5) {
        y.set(0, 0.0);
      }
      List<Double> x =
          IntStream.range(0, shares.size()).mapToObj(i -> 100 / (100 - shares.get(i))).toList();
      lines.add(new Series(STORES.get(s), x, y));
    }
    lines.add(new Series("one point", List.of(1000.0), List.of(50.0)));
    return new LinePlot(
        "Latency of gets, by how rare it is",
        Axis.logarithmic("one of … operations takes longer"),
        Axis.logarithmic("µs"),
        lines);
  }
}
