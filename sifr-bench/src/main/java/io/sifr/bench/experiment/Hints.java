package io.sifr.bench.experiment;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import io.sifr.config.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/** Gets from a container of many rows, and from the one tree that they are compacted into. */
final class Hints {
  private static final int[] ROWS = {8, 16, 32, 64};
  private static final int[] FILTER_BITS = {0, 10};

  /** Beyond, a row is larger than its write buffer. */
  private static final int MOST_ENTRIES = 1_000_000;

  private static final int WRITE_BUFFER_BYTES = 128 << 20;

  /** More than there is: rows are not compacted because of their size. */
  private static final long FAST_BYTES = 1L << 40;

  private static final long SEED = 1;
  private static final int PASSES = 5;

  /** Reads of a pass: more than where they wait for a disk, … */
  private static final int READS_OF_CACHED = 10;

  /** … but no more than that. */
  private static final int MOST_READS = 50_000;

  private static final String ONE_TREE = "one tree";

  private Hints() {}

  static void run(Laboratory laboratory, Findings findings) {
    List<String> columns = new ArrayList<>();
    for (int bits : FILTER_BITS) {
      columns.addAll(List.of(get(bits), miss(bits)));
    }
    Grid grid = new Grid("", columns);
    for (int rows : ROWS) {
      grid.row(name(rows), Map.of());
    }
    int entries = Math.min(MOST_ENTRIES, laboratory.scale().entries());
    Optional<String> obstacle = laboratory.noFastDirectory();
    obstacle.ifPresent(why -> findings.missing("All of it: " + why + "."));
    int[] measured = obstacle.isPresent() ? new int[0] : FILTER_BITS;
    for (int bits : measured) {
      for (int rows : ROWS) {
        laboratory.tell("sifr: gets from " + rows + " rows, " + bits + " filter bits a key");
        laboratory.inDirectory(
            "hints", directory -> new Trial(directory, entries, rows, bits).run(laboratory, grid));
      }
    }
    findings
        .fact("entries", Figures.count(entries))
        .fact("passes", PASSES)
        .lines(
            "Latency of a get by the number of rows",
            Block.Axis.logarithmic("rows"),
            Block.Axis.logarithmic("µs"),
            columns.stream().map(column -> line(grid, column)).toList())
        .table(grid)
        .summary(grid.only(name(ROWS[ROWS.length - 1]), ONE_TREE))
        .claim(
            "MatrixKV §5.3.2",
            "hints make gets from a container of rows 17.5 times as fast",
            Measured.nothing("what finds the SSTs of all rows at once cannot be switched off"));
  }

  private static String get(int bits) {
    return "get, µs" + (bits == 0 ? "" : ", filters");
  }

  private static String miss(int bits) {
    return "absent key, µs" + (bits == 0 ? "" : ", filters");
  }

  private static String name(int rows) {
    return rows + " rows";
  }

  private static Block.Series line(Grid grid, String column) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (int rows : ROWS) {
      Double figure = grid.get(name(rows), column);
      if (figure != null) {
        x.add((double) rows);
        y.add(figure);
      }
    }
    return new Block.Series(column, x, y);
  }

  /** One number of rows. */
  private static final class Trial {
    private final Path directory;
    private final Dataset dataset;
    private final int entries;
    private final int rows;
    private final int bits;
    private final SplittableRandom random = new SplittableRandom(SEED);

    Trial(Path directory, int entries, int rows, int bits) {
      this.directory = directory;
      this.dataset = new Dataset(Shape.PAPER, entries, false, SEED);
      this.entries = entries;
      this.rows = rows;
      this.bits = bits;
    }

    Grid run(Laboratory laboratory, Grid grid) {
      StoreOptions options =
          StoreOptions.builder()
              .fastDirectory(directory.resolve("fast"))
              .fastBytes(FAST_BYTES)
              .writeBufferBytes(WRITE_BUFFER_BYTES)
              .filterBitsPerKey(bits)
              .readCompactionBytesPerSecond(0)
              .build();
      int reads = Math.min(MOST_READS, READS_OF_CACHED * laboratory.scale().uncachedReads());
      try (Store store = Store.open(directory.resolve("store"), options)) {
        Database database = store.database();
        store.pauseCompactions();
        for (int row = 0; row < rows; row++) {
          int end = (int) ((long) entries * (row + 1) / rows);
          for (int place = (int) ((long) entries * row / rows); place < end; place++) {
            int entry = dataset.inserted(place);
            database.put(dataset.keys().key(entry), dataset.values().value(entry, 1));
          }
          store.flush();
        }
        measure(database, grid, name(rows), reads);
        if (rows == ROWS[0]) {
          store.resumeCompactions();
          database.compact();
          measure(database, grid, ONE_TREE, reads);
        }
      }
      return grid;
    }

    private void measure(Database database, Grid grid, String row, int reads) {
      grid.put(row, get(bits), micros(reads, entry -> check(database, entry)));
      grid.put(row, miss(bits), micros(reads, entry -> checkMissing(database, entry)));
    }

    private void check(Database database, int entry) {
      byte[] value = database.get(dataset.keys().key(entry));
      if (value == null || !dataset.values().matches(value, entry, 1)) {
        throw new IllegalStateException("entry " + entry + " has a wrong value");
      }
    }

    private void checkMissing(Database database, int entry) {
      if (database.contains(dataset.keys().missingKey(entry))) {
        throw new IllegalStateException("a key that was never put has a value");
      }
    }

    /** Of the fastest of several passes: in the first ones the JVM compiles. */
    private double micros(int reads, IntConsumer read) {
      long least = Long.MAX_VALUE;
      for (int pass = 0; pass < PASSES; pass++) {
        long start = System.nanoTime();
        for (int i = 0; i < reads; i++) {
          read.accept(random.nextInt(entries));
        }
        least = Math.min(least, System.nanoTime() - start);
      }
      return least / 1e3 / reads;
    }
  }
}
