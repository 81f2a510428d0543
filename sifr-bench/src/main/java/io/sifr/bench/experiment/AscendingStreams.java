package io.sifr.bench.experiment;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.BenchStore;
import io.sifr.bench.store.StoreFigures;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Values;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The bytes that a store writes of keys that nearly ascend: many streams in turns, as of sensors or
 * tenants with a time after them, or one with keys out of order.
 */
final class AscendingStreams {
  private static final int KEY_BYTES = Integer.BYTES + Long.BYTES;
  private static final int VALUE_BYTES = 100;
  private static final long SEED = 1;
  private static final Values VALUES =
      new Values(new Shape("stream", KEY_BYTES, VALUE_BYTES, VALUE_BYTES), SEED);

  /** Entries that are read back. */
  private static final int CHECKS = 1_000;

  private static final String WRITTEN = "written, bytes/byte";
  private static final String MOVED = "moved, bytes/byte";
  private static final String SSTS = "SSTs";
  private static final String TREES = "trees";

  private AscendingStreams() {}

  static void run(Laboratory laboratory, Findings findings) {
    Grid grid = new Grid("", List.of(WRITTEN, MOVED, SSTS, TREES));
    for (Load load : Load.values()) {
      measure(laboratory, StoreKind.SIFR, load, load.label, grid);
    }
    String rocks = Load.STREAMS_100.label + ", rocksdb";
    measure(laboratory, StoreKind.ROCKSDB, Load.STREAMS_100, rocks, grid);
    String contest = "100 streams: " + WRITTEN;
    Grid stores =
        new Grid("", List.of("sifr", "rocksdb"))
            .put(contest, "sifr", grid.get(Load.STREAMS_100.label, WRITTEN))
            .put(contest, "rocksdb", grid.get(rocks, WRITTEN));
    findings
        .fact("streamEntries", laboratory.scale().streamEntries())
        .fact("entries", laboratory.scale().entries())
        .fact("keyBytes", KEY_BYTES)
        .fact("valueBytes", VALUE_BYTES)
        .fact("checks", CHECKS)
        .add(
            new Grid("", List.of(WRITTEN, MOVED))
                .and(grid)
                .bars("Bytes of SSTs per user byte", Block.Axis.linear("bytes per byte")))
        .table(grid)
        .sharedSummary(stores)
        .contest(contest, Measure.AMOUNT, stores.row(contest))
        .claim(
            "the aim streams",
            "of 100 streams at most 3.0 bytes are written per byte, of 1,000 at most 4.7",
            atMost(grid, Load.STREAMS_100, 3.0).and(atMost(grid, Load.STREAMS_1000, 4.7)))
        .claim(
            "the aim outliers",
            "with 1 outlier in 1,000 at most 2.1 bytes are written per byte, in 100 at most 2.8",
            atMost(grid, Load.OUTLIERS_1000, 2.1).and(atMost(grid, Load.OUTLIERS_100, 2.8)));
  }

  private static Measured atMost(Grid grid, Load load, double bytesPerByte) {
    return Measured.value(load.label, grid.get(load.label, WRITTEN)).atMost(bytesPerByte);
  }

  /** The order in which keys come. All keys of a load are different. */
  enum Load {
    STREAMS_4("4 streams", 4, 0),
    STREAMS_100("100 streams", 100, 0),
    STREAMS_1000("1,000 streams", 1_000, 0),
    OUTLIERS_1000("1 outlier in 1,000", 1, 1_000),
    OUTLIERS_100("1 outlier in 100", 1, 100);

    /** A time in microseconds. */
    private static final long START = 1_700_000_000_000_000L;

    /** Microseconds from one entry to the next. */
    private static final long TICK = 1_000;

    /** Leaves room between two ascending keys for every outlier there may be. */
    private static final int GAP_BITS = Integer.SIZE;

    private final String label;
    private final int streams;

    /** One entry in so many is an outlier; 0 if none is. */
    private final int entriesAnOutlier;

    Load(String label, int streams, int entriesAnOutlier) {
      this.label = label;
      this.streams = streams;
      this.entriesAnOutlier = entriesAnOutlier;
    }

    private int entries(Scale scale) {
      return entriesAnOutlier == 0 ? scale.streamEntries() : scale.entries();
    }

    /** The key that comes at that place. */
    byte[] key(int place) {
      return ByteBuffer.allocate(KEY_BYTES)
          .putInt(place % streams)
          .putLong(entriesAnOutlier == 0 ? START + TICK * place : withOutliers(place))
          .array();
    }

    private long withOutliers(int place) {
      // From the place alone, so that the key is known again when it is read.
      SplittableRandom random = new SplittableRandom(SEED + place);
      return random.nextInt(entriesAnOutlier) == 0
          ? (random.nextLong(place + 1L) << GAP_BITS) + 1 + place
          : (long) place << GAP_BITS;
    }

    private void put(int entries, BenchStore store) {
      for (int place = 0; place < entries; place++) {
        store.put(key(place), VALUES.value(place, 1));
      }
      store.drain();
    }

    private void check(int entries, BenchStore store) {
      SplittableRandom random = new SplittableRandom(SEED);
      for (int i = 0; i < CHECKS; i++) {
        int place = random.nextInt(entries);
        byte[] value = store.get(key(place));
        if (value == null || !VALUES.matches(value, place, 1)) {
          throw new IllegalStateException(
              label + ": the entry put as number " + place + " is lost");
        }
      }
    }
  }

  private static void measure(
      Laboratory laboratory, StoreKind kind, Load load, String row, Grid grid) {
    laboratory.tell(kind.label() + ": " + load.label);
    int entries = load.entries(laboratory.scale());
    long userBytes = (long) entries * (KEY_BYTES + VALUE_BYTES);
    laboratory.inDirectory(
        "streams",
        directory -> {
          try (BenchStore store = kind.open(directory, Laboratory.TERMS, userBytes)) {
            load.put(entries, store);
            StoreFigures figures = store.figures();
            figures.tableBytes().ifPresent(b -> grid.put(row, WRITTEN, (double) b / userBytes));
            figures.movedBytes().ifPresent(b -> grid.put(row, MOVED, (double) b / userBytes));
            grid.put(row, SSTS, DiskSpace.tableSizes(directory).size());
            figures.sortedRuns().ifPresent(runs -> grid.put(row, TREES, runs));
            load.check(entries, store);
          }
          return grid;
        });
  }
}
