package io.sifr.bench.experiment;

import io.sifr.ReadOptions;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.config.MergeTrigger;
import io.sifr.config.SearchScheme;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Parallel search by number of threads. The speed of a device varies from second to second, so in
 * one process all take turns of a few reads; the store is reopened with other threads between
 * rounds of turns.
 */
final class SearchThreads implements Experiment {
  private static final List<Integer> THREADS = List.of(2, 4, 8, 16, 32);
  private static final int USUAL_THREADS = 16;
  private static final int READS_A_TURN = 20;

  /** Each number of threads has its turn so often. */
  private static final int ROUNDS = 4;

  /** A way to search. */
  private record Way(SearchScheme scheme, int threads, Histogram nanos) {
    String label() {
      return UncachedStore.label(scheme);
    }

    double meanMicros() {
      return nanos.getMean() / 1000;
    }
  }

  @Override
  public String name() {
    return "search-threads";
  }

  @Override
  public String title() {
    return "FC and PA by number of search threads (TPDS Figs. 6 and 14)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "with 16 threads FC reads 2.1 times as fast as a serial search and PA as fast as"
                    + " it; more threads do not help. With filters the schemes hardly differ.");
    List<Way> plain = measure(laboratory, 0, THREADS);
    List<Way> filtered = measure(laboratory, 10, List.of(USUAL_THREADS));
    List<Block.Series> curves = new ArrayList<>();
    for (SearchScheme scheme : SearchScheme.values()) {
      curves.add(
          new Block.Series(
              UncachedStore.label(scheme),
              THREADS.stream().map(Integer::doubleValue).toList(),
              THREADS.stream().map(threads -> micros(plain, scheme, threads)).toList()));
    }
    findings.lines(
        "Mean latency of a get, direct reads, without filters",
        Block.Axis.linear("search threads"),
        Block.Axis.linear("µs"),
        curves);
    findings.add(table(plain, filtered));
    findings.summary(summary(plain, filtered));
    addClaims(findings, plain, filtered);
    return findings.comparable(
        "the ratios to the serial search: as blocks of 4 KiB bypass the page cache, they are"
            + " those of the device. The paper has more processors.");
  }

  private static List<Way> measure(Laboratory laboratory, int filterBits, List<Integer> threads) {
    String filters = filterBits == 0 ? "without filters" : "with filters";
    laboratory.tell("sifr: load " + filters);
    List<Way> ways = new ArrayList<>();
    for (int count : threads) {
      for (SearchScheme scheme : SearchScheme.values()) {
        ways.add(new Way(scheme, count, new Histogram(3)));
      }
    }
    int entries = laboratory.scale().entries();
    try (UncachedStore store =
        new UncachedStore(
            laboratory.directory().resolve("sifr-bench-search-threads"),
            entries,
            Laboratory.SMALL_CACHE_BYTES + 2L * entries,
            MergeTrigger.LAZY,
            filterBits)) {
      int turns = Math.max(1, laboratory.scale().uncachedReadsOfMany() / ROUNDS / READS_A_TURN);
      // In the first round the JVM compiles.
      for (int round = -1; round < ROUNDS; round++) {
        laboratory.tell("sifr: reads " + filters + ", " + (round + 1) + " of " + ROUNDS);
        for (int count : threads) {
          store.reopen(count);
          List<Way> turn = ways.stream().filter(way -> way.threads() == count).toList();
          takeTurns(store, turn, turns, round >= 0);
        }
      }
    }
    return ways;
  }

  private static void takeTurns(UncachedStore store, List<Way> ways, int turns, boolean counts) {
    for (int turn = -1; turn < turns; turn++) {
      for (int i = 0; i < ways.size(); i++) {
        Way way = ways.get((i + Math.abs(turn)) % ways.size());
        ReadOptions options = UncachedStore.with(way.scheme());
        for (int read = 0; read < READS_A_TURN; read++) {
          long took = store.get(options);
          // The first turn after opening reads indexes, too.
          if (counts && turn >= 0) {
            way.nanos().recordValue(took);
          }
        }
      }
    }
  }

  private static double micros(List<Way> ways, SearchScheme scheme, int threads) {
    return ways.stream()
        .filter(way -> way.scheme() == scheme && way.threads() == threads)
        .mapToDouble(Way::meanMicros)
        .findFirst()
        .orElseThrow();
  }

  private static void addClaims(Findings findings, List<Way> plain, List<Way> filtered) {
    double serial = micros(plain, SearchScheme.SERIAL, USUAL_THREADS);
    double fixed = micros(plain, SearchScheme.FIXED_COUNT, USUAL_THREADS);
    findings
        .timeClaim(
            "TPDS",
            "Fig. 14",
            "with 16 threads FC reads 2.1 times as fast as a serial search",
            Measured.ratio("serial, µs", serial, "FC", fixed, 1.6, 3))
        .timeClaim(
            "TPDS",
            "Fig. 14",
            "PA reads as fast as a serial search",
            Measured.ratio(
                "serial, µs",
                serial,
                "PA",
                micros(plain, SearchScheme.PRIORITY_AWARE, USUAL_THREADS),
                0.8,
                1.25))
        .timeClaim(
            "TPDS",
            "Fig. 6",
            "more than 16 threads do not help",
            Measured.ratio(
                "FC with 32, µs",
                micros(plain, SearchScheme.FIXED_COUNT, 32),
                "with 16",
                fixed,
                0.9,
                Double.MAX_VALUE))
        .timeClaim(
            "TPDS",
            "Fig. 14",
            "with filters the schemes hardly differ",
            Measured.ratio(
                "FC, µs",
                micros(filtered, SearchScheme.FIXED_COUNT, USUAL_THREADS),
                "serial",
                micros(filtered, SearchScheme.SERIAL, USUAL_THREADS),
                0.85,
                1.15));
  }

  private static Block.Table summary(List<Way> plain, List<Way> filtered) {
    List<String> headers = new ArrayList<>(List.of("mean get, µs"));
    THREADS.forEach(threads -> headers.add(threads + " threads"));
    headers.add("16 and filters");
    List<List<String>> rows = new ArrayList<>();
    for (SearchScheme scheme : SearchScheme.values()) {
      List<String> row = new ArrayList<>(List.of(UncachedStore.label(scheme)));
      THREADS.forEach(threads -> row.add(Numbers.number(micros(plain, scheme, threads))));
      row.add(Numbers.number(micros(filtered, scheme, USUAL_THREADS)));
      rows.add(row);
    }
    return new Block.Table(headers, rows);
  }

  private static Block.Table table(List<Way> plain, List<Way> filtered) {
    List<List<String>> rows = new ArrayList<>();
    plain.forEach(way -> rows.add(row(way, "none")));
    filtered.forEach(way -> rows.add(row(way, "10 bits per key")));
    return new Block.Table(
        List.of("scheme", "threads", "filters", "mean µs", "p95 µs", "p99 µs"), rows);
  }

  private static List<String> row(Way way, String filters) {
    return List.of(
        way.label(),
        Integer.toString(way.threads()),
        filters,
        Numbers.number(way.meanMicros()),
        Numbers.number(way.nanos().getValueAtPercentile(95) / 1000.0),
        Numbers.number(way.nanos().getValueAtPercentile(99) / 1000.0));
  }
}
