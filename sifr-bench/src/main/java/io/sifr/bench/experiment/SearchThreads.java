package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import io.sifr.config.SearchScheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Parallel search by number of threads. */
final class SearchThreads implements Experiment {
  private static final List<Integer> THREADS = List.of(2, 4, 8, 16, 32);
  private static final int USUAL_THREADS = 16;

  @Override
  public String name() {
    return "search-threads";
  }

  @Override
  public String title() {
    return "FC and PA by number of search threads (TPDS Figs. 6 and 14)";
  }

  @Override
  public List<Block> run(Laboratory laboratory) {
    Findings findings =
        new Findings()
            .paper(
                "with 16 threads FC reads 2.1 times as fast as a serial search and PA as fast as"
                    + " it; more threads do not help. With filters the schemes hardly differ.");
    List<List<String>> rows = new ArrayList<>();
    Optional<RunResult> serial = row(laboratory, findings, rows, false, SearchScheme.SERIAL, 1);
    List<Block.Series> curves = new ArrayList<>();
    serial.ifPresent(
        result ->
            curves.add(
                new Block.Series(
                    "serial",
                    THREADS.stream().map(Integer::doubleValue).toList(),
                    THREADS.stream().map(threads -> result.latencies().meanMicros()).toList())));
    for (SearchScheme search :
        List.of(SearchScheme.FIXED_COUNT, SearchScheme.PRIORITY_AWARE, SearchScheme.ADAPTIVE)) {
      List<Double> x = new ArrayList<>();
      List<Double> y = new ArrayList<>();
      for (int threads : THREADS) {
        row(laboratory, findings, rows, false, search, threads)
            .ifPresent(
                result -> {
                  x.add((double) threads);
                  y.add(result.latencies().meanMicros());
                });
      }
      curves.add(new Block.Series(Terms.inReports(search), x, y));
    }
    row(laboratory, findings, rows, false, SearchScheme.LAST_STAGE, 2);
    for (SearchScheme search :
        List.of(SearchScheme.SERIAL, SearchScheme.FIXED_COUNT, SearchScheme.ADAPTIVE)) {
      row(
          laboratory,
          findings,
          rows,
          true,
          search,
          search == SearchScheme.SERIAL ? 1 : USUAL_THREADS);
    }
    return findings
        .lines(
            "Mean latency of a get, direct reads, without filters",
            Block.Axis.linear("search threads"),
            Block.Axis.linear("µs"),
            curves)
        .add(
            new Block.Table(
                List.of("scheme", "threads", "filters", "mean µs", "p95 µs", "p99 µs"), rows))
        .comparable(
            "the ratios to the serial search: as blocks of 4 KiB bypass the page cache, they are"
                + " those of the device. The paper has more trees to search, and more processors.")
        .blocks();
  }

  private static Optional<RunResult> row(
      Laboratory laboratory,
      Findings findings,
      List<List<String>> rows,
      boolean filters,
      SearchScheme search,
      int threads) {
    RunSpec plain =
        laboratory.spec(
            StoreKind.SIFR,
            Shape.PAPER,
            laboratory.scale().entries(),
            OptionalInt.of(laboratory.scale().uncachedReads()),
            1,
            filters,
            Workload.FILLRANDOM,
            Workload.READRANDOM);
    RunSpec spec =
        plain.withTerms(
            plain
                .terms()
                .withDirectReads(Laboratory.SMALL_CACHE_BYTES)
                .withSearch(search, threads));
    Attempt attempt = laboratory.attemptOnKeptFill(spec, Workload.READRANDOM, OptionalLong.empty());
    Optional<RunResult> result = findings.result(Terms.inReports(search) + ", " + threads, attempt);
    result.ifPresent(
        reads ->
            rows.add(
                List.of(
                    Terms.inReports(search),
                    Integer.toString(threads),
                    filters ? "10 bits per key" : "none",
                    Numbers.number(reads.latencies().meanMicros()),
                    Numbers.number(reads.latencies().p95Micros()),
                    Numbers.number(reads.latencies().p99Micros()))));
    return result;
  }
}
