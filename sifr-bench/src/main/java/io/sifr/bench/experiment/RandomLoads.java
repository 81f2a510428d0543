package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.measure.Latencies;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** A comparison of the stores under a random load: space, memory, sizes of files, evenness. */
final class RandomLoads {
  /** A tiny file is smaller than this. */
  private static final long TINY_BYTES = 256 << 10;

  private RandomLoads() {}

  static void space(Laboratory laboratory, Findings findings) {
    String peak = "peak, MiB";
    String end = "final, MiB";
    String ratio = "peak over final";
    Runs runs = Runs.base(laboratory, findings);
    Grid space = runs.grid();
    space.row(peak, figures(runs, result -> Figures.inMib(result.peakDiskBytes())));
    space.row(end, figures(runs, result -> Figures.inMib(result.finalDiskBytes())));
    space.row(
        ratio, figures(runs, result -> (double) result.peakDiskBytes() / result.finalDiskBytes()));
    findings
        .lines(
            "Files of the store while entries are inserted in random order",
            Block.Axis.linear("user data inserted, MiB"),
            Block.Axis.linear("space, MiB"),
            runs.byUserBytes(Workload.FILLRANDOM, sample -> Figures.inMib(sample.diskBytes())))
        .table(space)
        .summary(space.only(peak, end))
        .claim(
            "TPDS Fig. 2b",
            "while Size-Tiered merges it takes up to twice the space of its data",
            space.reading(ratio, "sifr-tiered").within(1.6, 2.4))
        .claim(
            "TPDS Fig. 9c",
            "SifrDB with early cleaning needs no more space than LevelDB",
            space.ratio(peak, "sifr", "leveldb").atMost(1.05))
        .contest("random load, peak space, MiB", Measure.AMOUNT, space.row(peak))
        .contest("random load, space at its end, MiB", Measure.AMOUNT, space.row(end));
  }

  static void memory(Laboratory laboratory, Findings findings) {
    String peak = "peak memory, MiB";
    Runs runs = Runs.base(laboratory, findings);
    Grid memory =
        runs.grid()
            .row(
                peak,
                runs.figures(
                    Workload.FILLRANDOM, result -> Figures.mibOf(result.peakMemoryBytes())));
    findings
        .lines(
            "Private memory of the process while entries are inserted in random order",
            Block.Axis.linear("user data inserted, MiB"),
            Block.Axis.linear("memory, MiB"),
            runs.byUserBytes(Workload.FILLRANDOM, sample -> Figures.inMib(sample.memoryBytes())))
        .summary(memory)
        .claim(
            "TPDS Fig. 9d",
            "RocksDB and Size-Tiered take ten times as much memory as SifrDB",
            memory
                .ratio(peak, "rocksdb", "sifr")
                .within(7, 14)
                .and(memory.ratio(peak, "sifr-tiered", "sifr").within(7, 14)))
        .claim(
            "TPDS Fig. 9d",
            "PebblesDB takes a hundred times as much memory as SifrDB",
            memory.ratio(peak, "sifr-guarded", "sifr").within(70, 140))
        .contest("random load, memory of the process, MiB", Measure.AMOUNT, memory.row(peak));
  }

  static void fileSizes(Laboratory laboratory, Findings findings) {
    String median = "median, MiB";
    String largest = "largest, MiB";
    String tiny = "smaller than 256 KiB, %";
    String alike = "% of bytes within a third of the median";
    Runs runs = Runs.base(laboratory, findings);
    Grid sizes = runs.grid();
    sizes.row("files", figures(runs, result -> result.fileSizes().size()));
    sizes.row(median, figures(runs, result -> mibAt(result, 0.5)));
    sizes.row(largest, figures(runs, result -> mibAt(result, 1)));
    sizes.row(tiny, figures(runs, RandomLoads::tinyPercent));
    Grid bytes = runs.grid().row(alike, figures(runs, RandomLoads::alikePercent));
    findings
        .lines(
            "Share of all bytes in files up to a size",
            Block.Axis.logarithmic("size of file, MiB"),
            Block.Axis.linear("share of bytes, %"),
            runs.lines(Workload.FILLRANDOM, RandomLoads::bytesBySize))
        .table(sizes)
        .summary(sizes.only(median, largest, tiny))
        .claim(
            "TPDS Fig. 10",
            "SifrDB's files are of one size",
            bytes.reading(alike, "sifr").within(80, 100))
        .claim(
            "TPDS Fig. 10",
            "Size-Tiered writes extra-large files",
            sizes.ratio(largest, "sifr-tiered", "sifr").atLeast(10))
        .claim(
            "TPDS Fig. 10",
            "many of PebblesDB's files are tiny",
            sizes.reading(tiny, "sifr-guarded").within(20, 100));
  }

  private static double mibAt(RunResult result, double share) {
    List<Long> sizes = result.fileSizes();
    return sizes.isEmpty()
        ? Double.NaN
        : Figures.inMib(sizes.get((int) Math.min(sizes.size() - 1, sizes.size() * share)));
  }

  private static double tinyPercent(RunResult result) {
    long tiny = result.fileSizes().stream().filter(size -> size < TINY_BYTES).count();
    return 100.0 * tiny / result.fileSizes().size();
  }

  /** The share of the bytes that are in files whose size is near the median. */
  private static double alikePercent(RunResult result) {
    double median = mibAt(result, 0.5);
    double alike =
        result.fileSizes().stream()
            .filter(size -> Math.abs(Figures.inMib(size) - median) <= median / 3)
            .mapToLong(Long::longValue)
            .sum();
    return 100 * alike / bytes(result);
  }

  private static double bytes(RunResult result) {
    return result.fileSizes().stream().mapToLong(Long::longValue).sum();
  }

  private static Block.Series bytesBySize(RunResult result) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    double sum = 0;
    for (long size : result.fileSizes()) {
      if (size > 0) {
        sum += size;
        x.add(Figures.inMib(size));
        y.add(100 * sum / bytes(result));
      }
    }
    return new Block.Series(result.store(), x, y);
  }

  static void stalls(Laboratory laboratory, Findings findings) {
    String rate = "median second, thousand/s";
    String slowest = "slowest second, % of it";
    String median = "p50 of a put, µs";
    String tail = "p99, µs";
    String longest = "longest stall, ms";
    Runs runs = Runs.base(laboratory, findings);
    Grid stalls = runs.grid();
    stalls.row(rate, figures(runs, load -> ofSeconds(load, 0.5) / 1e3));
    stalls.row(slowest, figures(runs, load -> 100 * ofSeconds(load, 0) / ofSeconds(load, 0.5)));
    stalls.row(median, figures(runs, load -> load.latencies().p50Micros()));
    stalls.row(tail, figures(runs, load -> load.latencies().p99Micros()));
    stalls.row("p99.9, µs", figures(runs, load -> load.latencies().p999Micros()));
    stalls.row(longest, figures(runs, RunResult::longestStallMillis));
    findings
        .contests("random load: ", Measure.RATE, stalls, List.of(rate, slowest))
        .contests("random load: ", Measure.TIME, stalls, stalls.rows().subList(2, 6))
        .lines(
            "Entries a second, second by second",
            Block.Axis.linear("seconds"),
            Block.Axis.linear("entries a second"),
            runs.lines(Workload.FILLRANDOM, load -> bySecond(load.store(), load)))
        .lines(
            "Latency of a put, by how rare it is",
            Block.Axis.logarithmic("one of … puts takes longer"),
            Block.Axis.logarithmic("µs"),
            runs.lines(Workload.FILLRANDOM, load -> byRarity(load.store(), load)))
        .table(stalls)
        .summary(stalls.only(slowest, longest))
        .timeClaim(
            "MatrixKV Fig. 2",
            "RocksDB's throughput falls to nearly zero at times",
            stalls.reading(slowest, "rocksdb").atMost(15))
        .timeClaim(
            "MatrixKV Fig. 3",
            "RocksDB's 99th percentile of a put is 25 times as long as what most puts take",
            stalls.ratioOfRows("rocksdb", tail, median).atLeast(25))
        .timeClaim(
            "MatrixKV Fig. 12",
            "what merges in small pieces and writes less is more even than RocksDB (here: sifr)",
            stalls.ratio(slowest, "sifr", "rocksdb").atLeast(1.05));
  }

  /** Entries in a second, of which that share of the seconds had fewer; NaN if there are none. */
  private static double ofSeconds(RunResult load, double share) {
    List<Long> rates = load.opsEachSecond().stream().sorted().toList();
    return rates.isEmpty() ? Double.NaN : rates.get((int) (rates.size() * share));
  }

  /** Entries a second, second by second. */
  static Block.Series bySecond(String name, RunResult load) {
    int seconds = load.opsEachSecond().size();
    return new Block.Series(
        name,
        IntStream.rangeClosed(1, seconds).mapToObj(second -> (double) second).toList(),
        load.opsEachSecond().stream().map(Long::doubleValue).toList());
  }

  /** The latency of a put that is as rare as one of so many. */
  static Block.Series byRarity(String name, RunResult load) {
    Latencies latencies = load.latencies();
    return new Block.Series(
        name,
        List.of(2.0, 20.0, 100.0, 1_000.0, 10_000.0, (double) Math.max(10_000, load.operations())),
        List.of(
            latencies.p50Micros(),
            latencies.p95Micros(),
            latencies.p99Micros(),
            latencies.p999Micros(),
            latencies.p9999Micros(),
            latencies.maxMicros()));
  }

  private static Map<String, Double> figures(Runs runs, ToDoubleFunction<RunResult> figure) {
    return runs.figures(Workload.FILLRANDOM, figure::applyAsDouble);
  }
}
