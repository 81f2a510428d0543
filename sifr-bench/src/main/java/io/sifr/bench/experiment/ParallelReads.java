package io.sifr.bench.experiment;

import io.sifr.ReadOptions;
import io.sifr.bench.measure.DirectReads;
import io.sifr.bench.report.Block;
import io.sifr.config.ReadMode;
import io.sifr.config.SearchScheme;
import io.sifr.event.Metric;
import java.util.ArrayList;
import java.util.List;

/**
 * Gets and short scans whose blocks have to be read, by scheme, compared with plain reads of as
 * many pages.
 */
final class ParallelReads {
  private static final int SCANNED = 100;

  private static final String MEAN = "mean, µs";
  private static final String TAIL = "p99, µs";
  private static final List<String> COLUMNS =
      List.of(MEAN, "mean of serial", "p50, µs", TAIL, "p99 of serial", "blocks read", "useless");

  private static final List<String> COLD_COLUMNS =
      List.of(MEAN, "mean of serial", "p50, µs", TAIL, "p99 of serial", "announced");
  private static final List<SearchScheme> COLD_SCHEMES =
      List.of(SearchScheme.SERIAL, SearchScheme.FIXED_COUNT, SearchScheme.ADAPTIVE);

  /** So many that to open the files is not most of the work. */
  private static final int COLD_OPERATIONS_A_TURN = 100;

  private ParallelReads() {}

  static void run(Laboratory laboratory, Findings findings) {
    for (boolean lazy : new boolean[] {false, true}) {
      String label = "sifr, merges " + (lazy ? "lazy" : "eager");
      laboratory.tell(label + ": load");
      try (UncachedStore store =
          new UncachedStore(laboratory, "parallel-reads", Laboratory.SMALL_CACHE_BYTES, lazy, 0)) {
        int trees = (int) store.statistics().get(Metric.TREES);
        try (DirectReads raw = new DirectReads(store.directory(), ".sst", trees)) {
          laboratory.tell(label + ": reads in turns");
          Grid grid = measure(store, raw, trees, laboratory.scale().uncachedReadsOfMany());
          report(findings, grid, trees, lazy);
          if (lazy) {
            measureCold(laboratory, findings, store, trees);
          }
        } catch (UnsupportedOperationException e) {
          findings.missing("reads: " + e.getMessage());
        }
      }
    }
  }

  private static Grid measure(UncachedStore store, DirectReads raw, int trees, int operations) {
    Turns turns = new Turns(store);
    List<Turns.Way> gets =
        List.of(SearchScheme.values()).stream()
            .map(
                scheme -> {
                  ReadOptions options = UncachedStore.with(scheme);
                  return turns.add(get(scheme), () -> store.get(options));
                })
            .toList();
    List<Turns.Way> scans =
        List.of(SearchScheme.SERIAL, SearchScheme.ADAPTIVE).stream()
            .map(
                scheme -> {
                  ReadOptions options = UncachedStore.with(scheme);
                  return turns.add(scan(scheme), () -> store.scan(SCANNED, options));
                })
            .toList();
    List<Turns.Way> limits =
        List.of(
            turns.add(trees + " plain reads, one by one", () -> raw.oneByOne(trees)),
            turns.add(trees + " plain reads at once", () -> raw.atOnce(trees)));
    turns.run(operations);
    Grid grid = new Grid("operation", COLUMNS);
    for (List<Turns.Way> alike : List.of(gets, scans, limits)) {
      Turns.Way serial = alike.get(0);
      for (Turns.Way way : alike) {
        times(grid, way, serial)
            .put(way.name(), "blocks read", way.reads())
            .put(way.name(), "useless", way.useless());
      }
    }
    return grid;
  }

  /**
   * Reads of a store that was just opened, of which the system has nothing in memory: one after the
   * other, by threads, and as {@code ADAPTIVE} does them, which is by announcing them to the system
   * where the module for that is on the class path and works.
   */
  private static void measureCold(
      Laboratory laboratory, Findings findings, UncachedStore store, int trees) {
    laboratory.tell("sifr, from a cold page cache: reads in turns");
    Turns turns = new Turns(store, COLD_OPERATIONS_A_TURN);
    List<List<Turns.Way>> alike = new ArrayList<>();
    for (ReadMode mode : List.of(ReadMode.MMAP, ReadMode.POSITIONAL)) {
      List<Turns.Way> gets = new ArrayList<>();
      List<Turns.Way> scans = new ArrayList<>();
      for (SearchScheme scheme : COLD_SCHEMES) {
        ReadOptions options = UncachedStore.with(scheme);
        Runnable cold = () -> store.reopenCold(mode);
        gets.add(turns.add(mode + " " + get(scheme), cold, () -> store.get(options)));
        scans.add(turns.add(mode + " " + scan(scheme), cold, () -> store.scan(SCANNED, options)));
      }
      alike.add(gets);
      alike.add(scans);
    }
    turns.run(laboratory.scale().uncachedReadsOfMany());
    Grid grid = new Grid(trees + " trees, from a cold page cache", COLD_COLUMNS);
    for (List<Turns.Way> ways : alike) {
      for (Turns.Way way : ways) {
        times(grid, way, ways.get(0)).put(way.name(), "announced", way.announced());
      }
    }
    findings.table(grid);
  }

  private static Grid times(Grid grid, Turns.Way way, Turns.Way serial) {
    return grid.put(way.name(), MEAN, way.meanMicros())
        .put(way.name(), "mean of serial", way.meanMicros() / serial.meanMicros())
        .put(way.name(), "p50, µs", way.micros(50))
        .put(way.name(), TAIL, way.micros(99))
        .put(way.name(), "p99 of serial", way.micros(99) / serial.micros(99));
  }

  private static String get(SearchScheme scheme) {
    return "get, " + UncachedStore.label(scheme);
  }

  private static String scan(SearchScheme scheme) {
    return "scan of " + SCANNED + ", " + UncachedStore.label(scheme);
  }

  private static void report(Findings findings, Grid grid, int trees, boolean isJudged) {
    if (isJudged) {
      Grid few = new Grid(trees + " trees", List.of(MEAN, TAIL));
      for (SearchScheme scheme : List.of(SearchScheme.SERIAL, SearchScheme.ADAPTIVE)) {
        few.row(get(scheme), grid.row(get(scheme)));
      }
      for (SearchScheme scheme : List.of(SearchScheme.SERIAL, SearchScheme.ADAPTIVE)) {
        few.row(scan(scheme), grid.row(scan(scheme)));
      }
      findings
          .summary(few)
          .timeClaim(
              "TPDS §5.3.4",
              "seeking all trees in parallel makes SifrDB's range queries 42 % faster",
              grid.ratioOfRows(MEAN, scan(SearchScheme.SERIAL), scan(SearchScheme.ADAPTIVE))
                  .atLeast(1.2));
    }
    findings
        .add(
            new Grid("", List.of(MEAN))
                .and(grid)
                .bars(
                    "Mean latency, " + trees + " trees, direct reads, no filters",
                    Block.Axis.linear("µs")))
        .table(grid);
  }
}
