package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/** One write that deletes the first half of all entries: its costs, and when the space is back. */
final class RangeDelete {
  private static final List<StoreKind> STORES =
      List.of(
          StoreKind.SIFR, StoreKind.SIFR_LEVELED, StoreKind.ROCKSDB, StoreKind.ROCKSDB_UNIVERSAL);

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

  private RangeDelete() {}

  static void run(Laboratory laboratory, Findings findings) {
    List<String> stores = STORES.stream().map(StoreKind::label).toList();
    Grid grid = new Grid("", stores);
    for (String name :
        List.of(CALL, SPACE, WRITTEN, ASKED, SCAN, LATER, BEFORE, BESIDE, AFTER, DELETED)) {
      grid.row(name, Map.of());
    }
    for (StoreKind kind : STORES) {
      laboratory.tell(kind.label() + ": load, range delete");
      // What is compacted because of the gets here is not written because of the delete.
      Terms terms = Laboratory.TERMS.withSetting("readCompactionBytesPerSecond", "0");
      try (TrialStore store =
          new TrialStore(
              laboratory,
              kind.label(),
              "range-delete",
              kind,
              terms,
              laboratory.scale().entries(),
              1)) {
        new Trial(store, laboratory.scale())
            .figures()
            .forEach((name, figure) -> grid.put(name, kind.label(), figure));
      }
    }
    findings
        .fact("mostSeconds", mostSeconds(laboratory.scale()))
        .contest("range delete: " + WRITTEN, Measure.AMOUNT, grid.row(WRITTEN))
        .contests(
            "range delete: ",
            Measure.TIME,
            grid,
            List.of(CALL, SPACE, SCAN, LATER, BEFORE, BESIDE, AFTER, DELETED))
        .add(
            grid.only(SCAN, LATER)
                .turned()
                .bars("A scan of one entry over the deleted half", Block.Axis.logarithmic("ms")))
        .table(grid)
        .summary(grid.only(SPACE, WRITTEN, SCAN))
        .claim(
            "the aim range delete",
            "the space of half of the store comes back with at most 1 % of the data written",
            grid.reading(WRITTEN, "sifr").atMost(1).and(grid.reading(ASKED, "sifr").atMost(0)))
        .timeClaim(
            "the aim range delete",
            "a scan over the hole takes at most 2 ms",
            grid.reading(SCAN, "sifr").atMost(2).and(grid.reading(LATER, "sifr").atMost(2)));
  }

  /** After this the key range is compacted. */
  private static long mostSeconds(Scale scale) {
    return scale.isLittleData() ? 1 : 20;
  }

  /** The trial of one store. */
  private static final class Trial {
    private final TrialStore store;
    private final int half;
    private final int reads;
    private final long mostNanos;

    Trial(TrialStore store, Scale scale) {
      this.store = store;
      this.half = store.entries() / 2;
      this.reads = scale.uncachedReads();
      this.mostNanos = TimeUnit.SECONDS.toNanos(mostSeconds(scale));
    }

    Map<String, Double> figures() {
      Map<String, Double> figures = new LinkedHashMap<>();
      byte[] from = store.key(0);
      byte[] to = store.key(half);
      // Of nothing: the JVM compiles the call.
      for (int i = 0; i < WARM_UP_CALLS; i++) {
        store.store().deleteRange(from, to);
      }
      store.store().drain();
      store.load();
      // Twice, as the JVM compiles in the first.
      gets();
      figures.put(BEFORE, gets());
      scans(to);
      long bytes = store.tableBytes();
      long written = store.writtenBytes();
      long start = System.nanoTime();
      store.store().deleteRange(from, to);
      figures.put(CALL, (System.nanoTime() - start) / 1e3);
      figures.put(SCAN, scans(from));
      figures.put(BESIDE, gets());
      start = System.nanoTime();
      store.store().drain();
      boolean back = awaitSpace(bytes, start);
      figures.put(ASKED, back ? 0.0 : 1.0);
      if (!back) {
        store.store().compactRange(from, to);
        store.store().drain();
        back = awaitSpace(bytes, System.nanoTime());
      }
      if (back) {
        figures.put(SPACE, (System.nanoTime() - start) / 1e9);
      }
      figures.put(WRITTEN, 100.0 * (store.writtenBytes() - written) / bytes);
      figures.put(LATER, scans(from));
      figures.put(AFTER, gets());
      figures.put(DELETED, micros(() -> store.miss(store.key(store.random().nextInt(half)))));
      return figures;
    }

    private boolean awaitSpace(long bytes, long start) {
      while (store.tableBytes() > LEFT * bytes) {
        if (System.nanoTime() - start > mostNanos) {
          return false;
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
      return true;
    }

    /** Mean microseconds of a get of an entry that is kept. */
    private double gets() {
      return micros(() -> store.get(half + store.random().nextInt(store.entries() - half)));
    }

    private double micros(LongSupplier read) {
      return LongStream.generate(read).limit(reads).average().orElseThrow() / 1e3;
    }

    /** Mean milliseconds of a scan that finds the first entry that is kept. */
    private double scans(byte[] from) {
      List<byte[]> keys = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < SCANS; i++) {
        store.store().scan(from, 1, (key, value) -> keys.add(key));
      }
      double millis = (System.nanoTime() - start) / 1e6 / SCANS;
      if (keys.size() != SCANS
          || keys.stream().anyMatch(key -> store.dataset().keys().entryOf(key) != half)) {
        throw store.wrong("shows deleted entries in a scan");
      }
      return millis;
    }
  }
}
