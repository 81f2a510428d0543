package io.sifr.bench.experiment;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.BenchStore;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import io.sifr.config.Durability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One write that deletes the first half of all entries: its costs, and when the space is back. */
final class RangeDelete implements Experiment {
  private static final List<StoreKind> STORES =
      List.of(
          StoreKind.SIFR, StoreKind.SIFR_LEVELED, StoreKind.ROCKSDB, StoreKind.ROCKSDB_UNIVERSAL);

  private static final long SEED = 1;
  private static final int SCANS = 20;
  private static final int WARM_UP_CALLS = 2_000;

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** The space is back when no more than this share of it is left; half is data. */
  private static final double LEFT = 0.55;

  private static final String CALL = "call, µs";
  private static final String SPACE = "space back, s";
  private static final String WRITTEN = "written meanwhile, % of the data";
  private static final String ASKED = "asked to compact";
  private static final String SCAN = "scan over the hole, ms";
  private static final String LATER = "the same later, ms";
  private static final String BEFORE = "get before, µs";
  private static final String BESIDE = "get beside, µs";
  private static final String AFTER = "get later, µs";
  private static final String DELETED = "get of a deleted key, µs";

  @Override
  public String name() {
    return "range-delete";
  }

  @Override
  public String title() {
    return "half of a store deleted by one write (CS561 §2.2 and §3.2)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "a range delete is one record in a list through which all answers are filtered;"
                    + " nothing is measured.");
    Map<String, Map<String, Double>> byStore = new LinkedHashMap<>();
    for (StoreKind store : STORES) {
      laboratory.tell(store.label() + ": load, range delete");
      byStore.put(store.label(), new Trial(laboratory, store).run());
    }
    List<String> names =
        List.of(CALL, SPACE, WRITTEN, ASKED, SCAN, LATER, BEFORE, BESIDE, AFTER, DELETED);
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    for (String name : names) {
      Map<String, Double> row = new LinkedHashMap<>();
      byStore.forEach(
          (store, figures) -> {
            Double figure = figures.get(name);
            if (figure != null) {
              row.put(store, figure);
            }
          });
      rows.put(name, row);
      if (!name.equals(ASKED)) {
        findings.contest(
            "range delete: " + name, name.equals(WRITTEN) ? Measure.AMOUNT : Measure.TIME, row);
      }
    }
    List<String> labels = STORES.stream().map(StoreKind::label).toList();
    Map<String, Double> sifr = byStore.getOrDefault("sifr", Map.of());
    List<String> shown = List.of(SCAN, LATER);
    Map<String, Map<String, Double>> few = new LinkedHashMap<>(rows);
    few.keySet().retainAll(List.of(SPACE, WRITTEN, SCAN));
    return findings
        .add(
            new Block.BarPlot(
                "A scan of one entry over the deleted half",
                Block.Axis.logarithmic("ms"),
                labels,
                shown.stream()
                    .map(
                        name ->
                            new Block.Bars(
                                name,
                                labels.stream()
                                    .map(label -> byStore.getOrDefault(label, Map.of()).get(name))
                                    .toList()))
                    .toList()))
        .add(Findings.table("", labels, rows))
        .summary("", labels, few)
        .claim(
            "the aim",
            "range delete",
            "the space of half of the store comes back with at most 1 % of the data written",
            Measured.value("%", sifr.get(WRITTEN), 0, 1)
                .and(Measured.value("asked to compact", sifr.get(ASKED), 0, 0)))
        .timeClaim(
            "the aim",
            "range delete",
            "a scan over the hole takes at most 2 ms",
            Measured.value("ms at once", sifr.get(SCAN), 0, 2)
                .and(Measured.value("later", sifr.get(LATER), 0, 2)))
        .comparable(
            "the stores with each other, in one process one after the other. After the call the"
                + " store flushes and finishes its work; if the space is not back after "
                + mostSeconds(laboratory.scale())
                + " s, it is asked to compact the range (1 in that row), and the time and the bytes"
                + " of that count, too. Gets are of the other half, and of the deleted one at the"
                + " end; filters and merges for readers are off. Answers are checked.");
  }

  /** After this the store is asked to compact the range. */
  private static long mostSeconds(Scale scale) {
    return scale.isLittleData() ? 1 : 20;
  }

  /** One store. */
  private static final class Trial {
    private final StoreKind kind;
    private final Path directory;
    private final int entries;
    private final int reads;
    private final long mostNanos;
    private final Dataset dataset;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final Map<String, Double> figures = new LinkedHashMap<>();

    Trial(Laboratory laboratory, StoreKind kind) {
      this.kind = kind;
      this.directory = laboratory.newDirectory("sifr-bench-range-delete");
      this.entries = laboratory.scale().entries();
      this.mostNanos = TimeUnit.SECONDS.toNanos(mostSeconds(laboratory.scale()));
      this.reads = laboratory.scale().uncachedReads();
      this.dataset = new Dataset(Shape.PAPER, entries, false, SEED);
    }

    Map<String, Double> run() {
      long expected = (long) (entries * Shape.PAPER.averageEntryBytes());
      // What is merged because of the gets here is not written because of the delete.
      Terms terms =
          Terms.plain(Durability.BUFFERED, RandomLoad.WRITE_BUFFER_BYTES, 64 << 20)
              .withSetting("readMergeBytesPerSecond", "0")
              .keptBy(kind);
      try (BenchStore store = kind.open(directory, terms, expected)) {
        // Of nothing: the JVM compiles the call.
        for (int i = 0; i < WARM_UP_CALLS; i++) {
          store.deleteRange(dataset.keys().key(0), dataset.keys().key(entries / 2));
        }
        store.drain();
        for (int place = 0; place < entries; place++) {
          int entry = dataset.inserted(place);
          store.put(dataset.keys().key(entry), dataset.values().value(entry, 1));
        }
        store.drain();
        measure(store);
        return figures;
      } finally {
        DiskSpace.delete(directory);
      }
    }

    private void measure(BenchStore store) {
      int half = entries / 2;
      byte[] from = dataset.keys().key(0);
      byte[] to = dataset.keys().key(half);
      // Twice, as the JVM compiles in the first.
      gets(store, half);
      figures.put(BEFORE, gets(store, half));
      scans(store, dataset.keys().key(half), half);
      long bytes = tableBytes();
      long written = written(store);
      long start = System.nanoTime();
      store.deleteRange(from, to);
      figures.put(CALL, (System.nanoTime() - start) / 1e3);
      figures.put(SCAN, scans(store, from, half));
      figures.put(BESIDE, gets(store, half));
      start = System.nanoTime();
      store.drain();
      boolean back = awaitSpace(bytes, start);
      if (!back) {
        store.compactRange(from, to);
        store.drain();
        back = awaitSpace(bytes, System.nanoTime());
        figures.put(ASKED, 1.0);
      } else {
        figures.put(ASKED, 0.0);
      }
      if (back) {
        figures.put(SPACE, (System.nanoTime() - start) / 1e9);
      }
      figures.put(WRITTEN, 100.0 * (written(store) - written) / bytes);
      figures.put(LATER, scans(store, from, half));
      figures.put(AFTER, gets(store, half));
      figures.put(DELETED, misses(store, half));
    }

    private boolean awaitSpace(long bytes, long start) {
      while (tableBytes() > LEFT * bytes) {
        if (System.nanoTime() - start > mostNanos) {
          return false;
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
      return true;
    }

    private long tableBytes() {
      return DiskSpace.tableSizes(directory).stream().mapToLong(Long::longValue).sum();
    }

    private static long written(BenchStore store) {
      return store.figures().tableBytes().orElse(0);
    }

    /** Mean microseconds of a get of an entry that is kept. */
    private double gets(BenchStore store, int half) {
      long nanos = 0;
      for (int i = 0; i < reads; i++) {
        int entry = half + random.nextInt(entries - half);
        byte[] key = dataset.keys().key(entry);
        long start = System.nanoTime();
        byte[] value = store.get(key);
        nanos += System.nanoTime() - start;
        if (value == null || !dataset.values().matches(value, entry, 1)) {
          throw new IllegalStateException(kind.label() + " has lost entry " + entry);
        }
      }
      return nanos / 1e3 / reads;
    }

    private double misses(BenchStore store, int half) {
      long nanos = 0;
      for (int i = 0; i < reads; i++) {
        int entry = random.nextInt(half);
        byte[] key = dataset.keys().key(entry);
        long start = System.nanoTime();
        byte[] value = store.get(key);
        nanos += System.nanoTime() - start;
        if (value != null) {
          throw new IllegalStateException(kind.label() + " still has entry " + entry);
        }
      }
      return nanos / 1e3 / reads;
    }

    /** Mean milliseconds of a scan whose first entry is that one. */
    private double scans(BenchStore store, byte[] from, int first) {
      List<byte[]> keys = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < SCANS; i++) {
        store.scan(from, 1, (key, value) -> keys.add(key));
      }
      double millis = (System.nanoTime() - start) / 1e6 / SCANS;
      if (keys.size() != SCANS
          || keys.stream().anyMatch(key -> dataset.keys().entryOf(key) != first)) {
        throw new IllegalStateException(kind.label() + " shows deleted entries in a scan");
      }
      return millis;
    }
  }
}
