package io.sifr.bench.experiment;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.BenchStore;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Values;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a store writes of keys that nearly ascend: many streams in turns, as of sensors or tenants
 * with a time behind them, or one with keys out of order.
 */
final class AscendingStreams implements Experiment {
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
  private static final List<String> COLUMNS = List.of(WRITTEN, MOVED, SSTS, TREES);

  @Override
  public String name() {
    return "streams";
  }

  @Override
  public String title() {
    return "bytes written of many ascending streams, and of strays (in no paper)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings = new Findings(laboratory.scale());
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    for (Load load : Load.values()) {
      laboratory.tell("sifr: " + load.label);
      rows.put(load.label, sifr(laboratory, load));
    }
    laboratory.tell("rocksdb: " + Load.STREAMS_100.label);
    Map<String, Double> rocks = rocks(laboratory, Load.STREAMS_100);
    Map<String, Map<String, Double>> shown = new LinkedHashMap<>(rows);
    shown.put(Load.STREAMS_100.label + ", rocksdb", rocks);
    Map<String, Double> contest = new LinkedHashMap<>();
    putIfThere(contest, StoreKind.SIFR, written(rows, Load.STREAMS_100));
    putIfThere(contest, StoreKind.ROCKSDB, rocks.get(WRITTEN));
    return findings
        .add(
            new Block.BarPlot(
                "Bytes of SSTs per user byte",
                Block.Axis.linear("bytes per byte"),
                List.copyOf(shown.keySet()),
                Stream.of(WRITTEN, MOVED)
                    .map(
                        name ->
                            new Block.Bars(
                                name, shown.values().stream().map(row -> row.get(name)).toList()))
                    .toList()))
        .add(Findings.table("", COLUMNS, shown))
        .summary(BaseRun.table(Map.of("100 streams: " + WRITTEN, contest)))
        .contest("100 streams: " + WRITTEN, Measure.AMOUNT, contest)
        .claim(
            "the aim",
            "streams",
            "of 100 streams at most 3.0 bytes are written per byte, of 1,000 at most 4.7",
            atMost(rows, Load.STREAMS_100, 3.0).and(atMost(rows, Load.STREAMS_1000, 4.7)))
        .claim(
            "the aim",
            "strays",
            "with 1 stray in 1,000 at most 2.1 bytes are written per byte, in 100 at most 2.8",
            atMost(rows, Load.STRAYS_1000, 2.1).and(atMost(rows, Load.STRAYS_100, 2.8)))
        .comparable(
            "the loads with each other, and the stores as far as their SSTs are alike; both are"
                + " without filters and compression, with write buffers of 4 MiB. "
                + Figures.count(laboratory.scale().streamEntries())
                + " entries, "
                + Figures.count(laboratory.scale().entries())
                + " with strays: keys of "
                + KEY_BYTES
                + " bytes, values of "
                + VALUE_BYTES
                + ". Bytes are those of flushes and compactions, when these are done. Streams take"
                + " turns, each with a number and a time as its keys. A stray is a key from"
                + " anywhere in the range that the load has covered by then, between two others."
                + " Trees of RocksDB are its sorted runs. "
                + Figures.count(CHECKS)
                + " entries of each load are read back.");
  }

  private static void putIfThere(
      Map<String, Double> row, StoreKind store, @Nullable Double figure) {
    if (figure != null) {
      row.put(store.label(), figure);
    }
  }

  private static @Nullable Double written(Map<String, Map<String, Double>> rows, Load load) {
    return rows.getOrDefault(load.label, Map.of()).get(WRITTEN);
  }

  private static Measured atMost(
      Map<String, Map<String, Double>> rows, Load load, double bytesPerByte) {
    return Measured.value(load.label, written(rows, load), 0, bytesPerByte);
  }

  /** The order in which keys come. All keys of a load are different. */
  enum Load {
    STREAMS_4("4 streams", 4, 0),
    STREAMS_100("100 streams", 100, 0),
    STREAMS_1000("1,000 streams", 1_000, 0),
    STRAYS_1000("1 stray in 1,000", 1, 1_000),
    STRAYS_100("1 stray in 100", 1, 100);

    /** A time in microseconds. */
    private static final long START = 1_700_000_000_000_000L;

    /** Microseconds from one entry to the next. */
    private static final long TICK = 1_000;

    /** Leaves room between two ascending keys for every stray there may be. */
    private static final int GAP_BITS = Integer.SIZE;

    private final String label;
    private final int streams;

    /** One entry in so many is a stray; 0 if none is. */
    private final int entriesAStray;

    Load(String label, int streams, int entriesAStray) {
      this.label = label;
      this.streams = streams;
      this.entriesAStray = entriesAStray;
    }

    private int entries(Scale scale) {
      return entriesAStray == 0 ? scale.streamEntries() : scale.entries();
    }

    /** The key that comes at that place. */
    byte[] key(int place) {
      return ByteBuffer.allocate(KEY_BYTES)
          .putInt(place % streams)
          .putLong(entriesAStray == 0 ? START + TICK * place : withStrays(place))
          .array();
    }

    private long withStrays(int place) {
      // From the place alone, so that the key is known again when it is read.
      SplittableRandom random = new SplittableRandom(SEED + place);
      return random.nextInt(entriesAStray) == 0
          ? (random.nextLong(place + 1L) << GAP_BITS) + 1 + place
          : (long) place << GAP_BITS;
    }

    private void put(int entries, BiConsumer<byte[], byte[]> store) {
      for (int place = 0; place < entries; place++) {
        store.accept(key(place), VALUES.value(place, 1));
      }
    }

    private void check(int entries, UnaryOperator<byte @Nullable []> store) {
      SplittableRandom random = new SplittableRandom(SEED);
      for (int i = 0; i < CHECKS; i++) {
        int place = random.nextInt(entries);
        byte[] value = store.apply(key(place));
        if (value == null || !VALUES.matches(value, place, 1)) {
          throw new IllegalStateException(
              label + ": the entry put as number " + place + " is lost");
        }
      }
    }
  }

  private static Map<String, Double> sifr(Laboratory laboratory, Load load) {
    Path directory = directory(laboratory);
    int entries = load.entries(laboratory.scale());
    StoreOptions options =
        StoreOptions.builder()
            .durability(Durability.BUFFERED)
            .writeBufferBytes(RandomLoad.WRITE_BUFFER_BYTES)
            .filterBitsPerKey(0)
            .build();
    try (Store store = Store.open(directory, options)) {
      Database database = store.database();
      load.put(entries, database::put);
      store.flush();
      store.awaitIdle();
      StoreStatistics statistics = store.statistics();
      load.check(entries, database::get);
      Map<String, Double> row = new LinkedHashMap<>();
      row.put(WRITTEN, statistics.get(Metric.WRITE_AMPLIFICATION));
      row.put(MOVED, (double) statistics.get(Metric.MOVED_BYTES) / userBytes(entries));
      row.put(SSTS, (double) statistics.get(Metric.SSTS));
      row.put(TREES, (double) statistics.get(Metric.TREES));
      return row;
    } finally {
      DiskSpace.delete(directory);
    }
  }

  private static Map<String, Double> rocks(Laboratory laboratory, Load load) {
    Path directory = directory(laboratory);
    int entries = load.entries(laboratory.scale());
    Terms terms = Terms.plain(Durability.BUFFERED, RandomLoad.WRITE_BUFFER_BYTES, 64 << 20);
    try {
      Files.createDirectories(directory);
      try (BenchStore store = StoreKind.ROCKSDB.open(directory, terms, userBytes(entries))) {
        load.put(entries, store::put);
        store.drain();
        Map<String, Double> row = new LinkedHashMap<>();
        store
            .figures()
            .tableBytes()
            .ifPresent(bytes -> row.put(WRITTEN, (double) bytes / userBytes(entries)));
        row.put(SSTS, (double) DiskSpace.tableSizes(directory).size());
        store.figures().sortedRuns().ifPresent(runs -> row.put(TREES, (double) runs));
        load.check(entries, store::get);
        return row;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      DiskSpace.delete(directory);
    }
  }

  private static Path directory(Laboratory laboratory) {
    return laboratory.directory().resolve("sifr-bench-streams");
  }

  private static long userBytes(int entries) {
    return (long) entries * (KEY_BYTES + VALUE_BYTES);
  }
}
