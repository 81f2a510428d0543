package io.sifr.bench.experiment;

import com.google.common.collect.Ordering;
import io.sifr.ReadOptions;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.workload.Shape;
import io.sifr.config.SearchScheme;
import io.sifr.event.ForestShape;
import io.sifr.event.Metric;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Latencies of gets that bypass the page cache, by one thing that is varied: bits of filters, stage
 * of the key, search threads, memory.
 */
final class UncachedReads {
  private static final List<SearchScheme> SCHEMES = List.of(SearchScheme.values());

  private UncachedReads() {}

  /** The same entries, loaded with filters of each number of bits. */
  static void byFilterBits(Laboratory laboratory, Findings findings) {
    List<Integer> bits = List.of(0, 4, 6, 8, 10, 12, 16);
    // The cache has room for all filters, beside what all stores have for blocks and indexes.
    int mostFilterBytesAKey = 5;
    String memory = "memory, MiB";
    String present = "present, µs";
    String absent = "absent, µs";
    int entries = laboratory.scale().entries();
    long cacheBytes = Laboratory.SMALL_CACHE_BYTES + (long) mostFilterBytesAKey * entries;
    Grid grid =
        new Grid(
            "bits a key", List.of(memory, present, "blocks read", absent, "blocks of absent keys"));
    for (int bitsPerKey : bits) {
      laboratory.tell("sifr: load with filters of " + bitsPerKey + " bits per key");
      try (UncachedStore store =
          new UncachedStore(laboratory, "filter-bits", cacheBytes, false, bitsPerKey)) {
        Turns turns = new Turns(store);
        Turns.Way hits = turns.add(present, () -> store.get(ReadOptions.DEFAULT));
        Turns.Way misses = turns.add(absent, () -> store.miss(ReadOptions.DEFAULT));
        turns.run(laboratory.scale().uncachedReadsOfMany());
        grid.put(
                bits(bitsPerKey),
                memory,
                Figures.inMib(store.statistics().get(Metric.FILTER_BYTES)))
            .put(bits(bitsPerKey), present, hits.meanMicros())
            .put(bits(bitsPerKey), "blocks read", hits.reads())
            .put(bits(bitsPerKey), absent, misses.meanMicros())
            .put(bits(bitsPerKey), "blocks of absent keys", misses.reads());
      }
    }
    Block.Axis axis = Block.Axis.linear("bits a key in the last stage, 3 more in each before");
    List<Double> x = bits.stream().map(Integer::doubleValue).toList();
    Map<String, Double> mebibytes = grid.turned().row(memory);
    double dataMib = entries * Shape.PAPER.averageEntryBytes() / (1 << 20);
    findings
        .timeClaim(
            "TPDS Fig. 12",
            "filters of 10 bits a key make reads 3.7 times as fast",
            grid.ratioOfRows(present, bits(0), bits(10)).within(2.8, 5))
        .timeClaim(
            "TPDS Fig. 12",
            "more bits hardly help",
            grid.ratioOfRows(present, bits(16), bits(10)).within(0.85, 1.15))
        .claim(
            "TPDS Fig. 12",
            "filters of 10 bits a key take 1.06 % of the data's size",
            Measured.value("%", 100 * mebibytes.getOrDefault(bits(10), 0.0) / dataMib)
                .within(0.8, 1.4))
        .timeClaim(
            "CS561 Fig. 12",
            "larger filters make queries faster",
            grid.ratioOfRows(absent, bits(10), bits(4)).atMost(0.95))
        .lines(
            "Mean latency of a get, direct reads",
            axis,
            Block.Axis.linear("µs"),
            List.of(
                new Block.Series("present keys", x, values(grid.turned().row(present))),
                new Block.Series("absent keys", x, values(grid.turned().row(absent)))))
        .lines(
            "Memory of the filters",
            axis,
            Block.Axis.linear("MiB"),
            List.of(new Block.Series("all filters", x, values(mebibytes))))
        .table(grid);
  }

  private static String bits(int bitsPerKey) {
    return bitsPerKey == 0 ? "no filters" : bitsPerKey + " bits";
  }

  private static List<Double> values(Map<String, Double> row) {
    return List.copyOf(row.values());
  }

  /**
   * By the stage of the key, which follows from when it was inserted: the newest tree holds the
   * keys inserted last, and so on.
   */
  static void byStage(Laboratory laboratory, Findings findings) {
    int uncountedTurns = 10;
    // The index is in memory; it takes about a byte an entry.
    long cacheBytes = (1 << 20) + 2L * laboratory.scale().entries();
    laboratory.tell("sifr: load");
    List<List<String>> rows = new ArrayList<>();
    Map<SearchScheme, List<Double>> means = new LinkedHashMap<>();
    List<Stage> stages;
    try (UncachedStore store = new UncachedStore(laboratory, "stage-of-key", cacheBytes, true, 0)) {
      stages = stages(store.forest());
      for (Stage stage : stages) {
        laboratory.tell("sifr: reads of stage " + stage.number());
        Turns turns = new Turns(store);
        Map<SearchScheme, Turns.Way> ways = new LinkedHashMap<>();
        for (SearchScheme scheme : SCHEMES) {
          ReadOptions options = UncachedStore.with(scheme);
          ways.put(
              scheme,
              turns.add(
                  UncachedStore.label(scheme),
                  () -> store.getInserted(stage.firstPlace(), stage.entries(), options)));
        }
        turns.run(uncountedTurns, Turns.turns(laboratory.scale().uncachedReadsOfMany()));
        ways.forEach(
            (scheme, way) -> {
              means.computeIfAbsent(scheme, key -> new ArrayList<>()).add(way.meanMicros());
              rows.add(
                  List.of(
                      way.name(),
                      stage.label(),
                      Integer.toString(stage.trees()),
                      Integer.toString(stage.entries()),
                      Numbers.number(way.meanMicros()),
                      Numbers.number(way.micros(50)),
                      Numbers.number(way.micros(99))));
            });
      }
    }
    List<Double> x = stages.stream().map(stage -> (double) stage.number()).toList();
    List<Block.Series> lines = new ArrayList<>();
    Grid grid = new Grid("mean get, µs", stages.stream().map(Stage::label).toList());
    means.forEach(
        (scheme, micros) -> {
          String name = UncachedStore.label(scheme);
          lines.add(new Block.Series(name, x, micros));
          for (int i = 0; i < stages.size(); i++) {
            grid.put(name, stages.get(i).label(), micros.get(i));
          }
        });
    judgeStages(findings, grid);
    findings
        .summary(grid)
        .lines(
            "Mean latency of a get by the stage of its key, direct reads, no filters",
            Block.Axis.linear("stage of the key"),
            Block.Axis.linear("µs"),
            lines)
        .add(
            new Block.Table(
                List.of(
                    "scheme", "stage", "trees", "entries", "mean get, µs", "p50, µs", "p99, µs"),
                rows));
  }

  private static void judgeStages(Findings findings, Grid grid) {
    Collection<Double> fixed = grid.row(UncachedStore.label(SearchScheme.FIXED_COUNT)).values();
    List<Double> priority = values(grid.row(UncachedStore.label(SearchScheme.PRIORITY_AWARE)));
    String first = grid.columns().get(0);
    List<String> shown = priority.stream().map(Numbers::number).toList();
    findings
        .timeClaim(
            "TPDS Fig. 13",
            "FC takes the same time whichever of six stages the key is in",
            Measured.ratio("slowest, µs", Collections.max(fixed), "fastest", Collections.min(fixed))
                .within(1, 1.3))
        .timeClaim(
            "TPDS Fig. 13",
            "PA is faster than FC for keys in low stages",
            grid.ratioOfRows(first, "PA", "FC").atMost(0.95))
        .timeClaim(
            "TPDS Fig. 13",
            "PA is slower with every further stage",
            priority.size() == 1
                ? Measured.nothing("one stage")
                : Measured.fact(
                    "µs by stage: " + String.join(", ", shown),
                    Ordering.natural().isStrictlyOrdered(priority)));
  }

  /** A stage with its entries, as numbers in the order of insertion. */
  private record Stage(int number, int trees, int firstPlace, int entries) {
    String label() {
      return "stage " + number;
    }
  }

  private static List<Stage> stages(ForestShape forest) {
    long place = forest.stages().stream().mapToLong(UncachedReads::entries).sum();
    List<Stage> stages = new ArrayList<>();
    for (ForestShape.Stage stage : forest.stages()) {
      int entries = (int) entries(stage);
      place -= entries;
      if (entries > 0) {
        stages.add(new Stage(stage.number(), stage.trees().size(), (int) place, entries));
      }
    }
    return stages;
  }

  private static long entries(ForestShape.Stage stage) {
    return stage.trees().stream().mapToLong(ForestShape.Tree::entries).sum();
  }

  /** The store is opened again with other threads between rounds of turns. */
  static void bySearchThreads(Laboratory laboratory, Findings findings) {
    List<Integer> threads = List.of(2, 4, 8, 16, 32);
    String usual = "16 threads";
    String filtered = "16 and filters";
    List<String> columns =
        new ArrayList<>(threads.stream().map(count -> count + " threads").toList());
    columns.add(filtered);
    Grid grid = new Grid("mean get, µs", columns);
    List<List<String>> rows = new ArrayList<>();
    Map<Integer, List<Turns.Way>> plain = readsByThreads(laboratory, 0, threads);
    Map<Integer, List<Turns.Way>> withFilters = readsByThreads(laboratory, 10, List.of(16));
    plain.forEach(
        (count, ways) -> {
          ways.forEach(way -> grid.put(way.name(), count + " threads", way.meanMicros()));
          ways.forEach(way -> rows.add(row(way, count, "none")));
        });
    withFilters.forEach(
        (count, ways) -> {
          ways.forEach(way -> grid.put(way.name(), filtered, way.meanMicros()));
          ways.forEach(way -> rows.add(row(way, count, "10 bits per key")));
        });
    List<Block.Series> lines = new ArrayList<>();
    for (String scheme : grid.rows()) {
      lines.add(
          new Block.Series(
              scheme,
              threads.stream().map(Integer::doubleValue).toList(),
              values(grid.row(scheme)).subList(0, threads.size())));
    }
    findings
        .lines(
            "Mean latency of a get, direct reads, without filters",
            Block.Axis.linear("search threads"),
            Block.Axis.linear("µs"),
            lines)
        .add(
            new Block.Table(
                List.of("scheme", "threads", "filters", "mean µs", "p95 µs", "p99 µs"), rows))
        .summary(grid)
        .timeClaim(
            "TPDS Fig. 14",
            "with 16 threads FC reads 2.1 times as fast as a serial search",
            grid.ratioOfRows(usual, "serial", "FC").within(1.6, 3))
        .timeClaim(
            "TPDS Fig. 14",
            "PA reads as fast as a serial search",
            grid.ratioOfRows(usual, "serial", "PA").within(0.8, 1.25))
        .timeClaim(
            "TPDS Fig. 6",
            "more than 16 threads do not help",
            grid.ratio("FC", "32 threads", usual).atLeast(0.9))
        .timeClaim(
            "TPDS Fig. 14",
            "with filters the schemes hardly differ",
            grid.ratioOfRows(filtered, "FC", "serial").within(0.85, 1.15));
  }

  private static Map<Integer, List<Turns.Way>> readsByThreads(
      Laboratory laboratory, int filterBits, List<Integer> threads) {
    int rounds = 4;
    String filters = filterBits == 0 ? "without filters" : "with filters";
    laboratory.tell("sifr: load " + filters);
    long cacheBytes = Laboratory.SMALL_CACHE_BYTES + 2L * laboratory.scale().entries();
    try (UncachedStore store =
        new UncachedStore(laboratory, "search-threads", cacheBytes, true, filterBits)) {
      Map<Integer, Turns> turns = new LinkedHashMap<>();
      Map<Integer, List<Turns.Way>> ways = new LinkedHashMap<>();
      for (int count : threads) {
        Turns ofCount = new Turns(store);
        turns.put(count, ofCount);
        ways.put(
            count,
            SCHEMES.stream()
                .map(
                    scheme -> {
                      ReadOptions options = UncachedStore.with(scheme);
                      return ofCount.add(UncachedStore.label(scheme), () -> store.get(options));
                    })
                .toList());
      }
      int counted = Turns.turns(laboratory.scale().uncachedReadsOfMany() / rounds);
      // In the first round the JVM compiles.
      for (int round = 0; round <= rounds; round++) {
        laboratory.tell("sifr: reads " + filters + ", " + round + " of " + rounds);
        boolean counts = round > 0;
        turns.forEach(
            (count, ofCount) -> {
              store.reopen(count);
              // The first turn after opening reads indexes, too.
              ofCount.run(counts ? 1 : 1 + counted, counts ? counted : 0);
            });
      }
      return ways;
    }
  }

  private static List<String> row(Turns.Way way, int threads, String filters) {
    return List.of(
        way.name(),
        Integer.toString(threads),
        filters,
        Numbers.number(way.meanMicros()),
        Numbers.number(way.micros(95)),
        Numbers.number(way.micros(99)));
  }

  private static final String UPPER = "key in an upper stage";
  private static final String LAST = "key in the last stage";
  private static final String ABSENT = "absent key";

  /**
   * How long the stages before the last and the last one are searched, with memory for filters and
   * indexes and without. As in LSM-trie there are filters.
   */
  static void byLevel(Laboratory laboratory, Findings findings) {
    int entries = laboratory.scale().entries();
    String ample = "ample memory";
    String little = "little memory";
    Grid grid = new Grid("mean get, µs", List.of(UPPER, LAST, ABSENT));
    // An entry's filters and its part of the index fit into six bytes, and not into a quarter.
    addLevels(laboratory, grid, ample, 6L * entries + (1 << 20));
    addLevels(laboratory, grid, little, entries / 4 + (64 << 10));
    findings
        .add(
            grid.bars(
                "Mean latency of a get by where its key is, direct reads, filters",
                Block.Axis.linear("µs")))
        .table(grid)
        .timeClaim(
            "LSM-trie Fig. 2",
            "with ample memory the last level takes a little longer than the upper ones",
            grid.ratio(ample, LAST, UPPER).within(1, 1.6))
        .timeClaim(
            "LSM-trie Fig. 3",
            "with little memory the upper levels take much longer than with ample memory",
            grid.ratioOfRows(UPPER, little, ample).atLeast(2));
  }

  private static void addLevels(Laboratory laboratory, Grid grid, String memory, long cacheBytes) {
    int filterBits = 16; // LSM-trie's, which it keeps of the first levels
    laboratory.tell("sifr: load, cache of " + Figures.mib(cacheBytes));
    int entries = laboratory.scale().entries();
    ReadOptions serial = UncachedStore.with(SearchScheme.SERIAL);
    try (UncachedStore store =
        new UncachedStore(laboratory, "level-times", cacheBytes, true, filterBits)) {
      // The last stage holds the entries that came first. With one stage its keys stand for both.
      List<Stage> stages = stages(store.forest());
      int inLast = stages.get(stages.size() - 1).entries();
      int before = inLast < entries ? inLast : 0;
      Turns turns = new Turns(store);
      List<Turns.Way> ways =
          List.of(
              turns.add(UPPER, () -> store.getInserted(before, entries - before, serial)),
              turns.add(LAST, () -> store.getInserted(0, inLast, serial)),
              turns.add(ABSENT, () -> store.miss(serial)));
      turns.run(laboratory.scale().uncachedReadsOfMany());
      ways.forEach(way -> grid.put(memory, way.name(), way.meanMicros()));
    }
  }
}
