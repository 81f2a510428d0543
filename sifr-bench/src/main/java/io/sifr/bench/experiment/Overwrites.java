package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Choice;
import io.sifr.bench.workload.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/** The space that overwritten and deleted entries take, and what it costs to get it back. */
final class Overwrites {
  private static final List<StoreKind> STORES =
      List.of(
          StoreKind.SIFR,
          StoreKind.SIFR_LEVELED,
          StoreKind.SIFR_TIERED,
          StoreKind.SIFR_LAZY,
          StoreKind.SIFR_GUARDED,
          StoreKind.ROCKSDB,
          StoreKind.ROCKSDB_UNIVERSAL);

  private static final long SEED = 1;

  /** Each entry is overwritten this often on average. */
  private static final int ROUNDS = 6;

  /** One in this many of the scale's entries, as each is written several times. */
  private static final int SHARE = 10;

  private static final long MOST_BUFFER_BYTES = 16 << 20;

  /** The data is at least this many write buffers, so that there are compactions. */
  private static final int BUFFERS = 7;

  /** A write buffer is at least this many SSTs of Sifr's, as it is by default. */
  private static final int SSTS_OF_A_BUFFER = 8;

  /** In smaller ones the pages of their headers and indexes would count. */
  private static final long LEAST_SST_BYTES = 256 << 10;

  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** A store whose files still change after this many looks is taken as it is. */
  private static final int MOST_LOOKS = 100;

  private static final double MOST_PEAK = 3;
  private static final double MOST_AT_END = 1.6;

  /** By how much the estimate of a store may be wrong. */
  private static final double TOLERANCE = 0.2;

  private static final String PEAK = "peak space over live data";
  private static final String END = "space at the end over live data";
  private static final String WRITTEN = "bytes of SSTs written per user byte";
  private static final String TRUTH = "SSTs at the end over the same compacted";
  private static final String ESTIMATE = "the store's estimate of that";
  private static final String LEFT = "deleted: space left at once, MiB";
  private static final String LEFT_LATER = "deleted: space left after drain, MiB";
  private static final String TABLES_LATER = "deleted: SSTs left after drain, MiB";
  private static final String SCAN = "deleted: scan of nothing at once, ms";
  private static final String SCAN_LATER = "deleted: scan of nothing after drain, ms";

  private static final List<String> OF_EACH_DRAW = List.of(PEAK, END, WRITTEN, TRUTH, ESTIMATE);
  private static final List<String> OF_DELETION =
      List.of(LEFT, LEFT_LATER, TABLES_LATER, SCAN, SCAN_LATER);

  /** The distribution of the entries that are overwritten. */
  private enum Draw {
    UNIFORM("uniform"),
    ZIPFIAN("Zipfian");

    private final String label;

    Draw(String label) {
      this.label = label;
    }

    int entry(Choice choice) {
      return switch (this) {
        case UNIFORM -> choice.uniform();
        case ZIPFIAN -> choice.zipfian();
      };
    }

    String row(String figure) {
      return label + ": " + figure;
    }
  }

  private Overwrites() {}

  static void run(Laboratory laboratory, Findings findings) {
    Grid grid = new Grid("", STORES.stream().map(StoreKind::label).toList());
    for (Draw draw : Draw.values()) {
      OF_EACH_DRAW.forEach(figure -> grid.row(draw.row(figure), Map.of()));
    }
    OF_DELETION.forEach(figure -> grid.row(figure, Map.of()));
    for (Draw draw : Draw.values()) {
      List<Block.Series> curves = new ArrayList<>();
      for (StoreKind kind : STORES) {
        laboratory.tell(kind.label() + ": load, " + draw.label + " overwrites");
        try (TrialStore store =
            new TrialStore(
                laboratory,
                kind.label(),
                "overwrites",
                kind,
                terms(laboratory.scale()),
                entries(laboratory.scale()),
                1)) {
          curves.add(
              new Trial(store, draw, laboratory.scale())
                  .run(kind.label(), (name, figure) -> grid.put(name, kind.label(), figure)));
        }
      }
      findings.lines(
          "Files of the store during overwrites, " + draw.label,
          Block.Axis.linear("user data overwritten, MiB"),
          Block.Axis.linear("space, MiB"),
          curves);
    }
    // With little data most of the space is that of the log.
    if (!laboratory.scale().isLittleData()) {
      findings.contests(
          "overwrites, ",
          Measure.AMOUNT,
          grid,
          List.of(Draw.UNIFORM.row(END), Draw.UNIFORM.row(WRITTEN), LEFT_LATER));
    }
    judge(findings, grid);
    findings
        .fact("loaded", entries(laboratory.scale()))
        .fact("rounds", ROUNDS)
        .table(grid)
        .sharedSummary(grid.only(Draw.UNIFORM.row(END), Draw.UNIFORM.row(WRITTEN)))
        .contest("overwrites, " + SCAN, Measure.TIME, grid.row(SCAN));
  }

  private static void judge(Findings findings, Grid grid) {
    String sifr = StoreKind.SIFR.label();
    String worstStore = "";
    double worst = 0;
    for (Draw draw : Draw.values()) {
      for (Map.Entry<String, Double> estimate : grid.row(draw.row(ESTIMATE)).entrySet()) {
        Double truth = grid.get(draw.row(TRUTH), estimate.getKey());
        double off = truth == null ? Double.POSITIVE_INFINITY : estimate.getValue() / truth - 1;
        if (worstStore.isEmpty() || Math.abs(off) > Math.abs(worst)) {
          worstStore = estimate.getKey() + ", " + draw.label;
          worst = off;
        }
      }
    }
    // With little data most of the space is that of the log.
    findings
        .claimOfMuchData(
            "the aim overwrites",
            "the store takes at most %s times its live data, and %s times at the end"
                .formatted(Numbers.number(MOST_PEAK), Numbers.number(MOST_AT_END)),
            space(grid, Draw.UNIFORM, sifr).and(space(grid, Draw.ZIPFIAN, sifr)))
        .claim(
            "the aim overwrites",
            "the estimate of each form of Sifr is within 20 % of what a compaction shows",
            worstStore.isEmpty()
                ? Measured.nothing("no estimate")
                : Measured.fact(
                    "the worst %+.0f %%, of %s".formatted(100 * worst, worstStore),
                    Math.abs(worst) <= TOLERANCE));
  }

  private static Measured space(Grid grid, Draw draw, String store) {
    return Measured.value(draw.label + " peak", grid.get(draw.row(PEAK), store))
        .atMost(MOST_PEAK)
        .and(Measured.value("end", grid.get(draw.row(END), store)).atMost(MOST_AT_END));
  }

  private static int entries(Scale scale) {
    return scale.entries() / SHARE;
  }

  /**
   * The files of RocksDB are as small as its write buffer demands; those of Sifr are made so, too,
   * for otherwise a small store is a single SST.
   */
  private static Terms terms(Scale scale) {
    long bytes = (long) (entries(scale) * Shape.PAPER.averageEntryBytes());
    long buffer = Math.min(MOST_BUFFER_BYTES, bytes / BUFFERS);
    long sst = Math.max(LEAST_SST_BYTES, buffer / SSTS_OF_A_BUFFER);
    return Laboratory.TERMS
        .withWriteBufferBytes(buffer)
        .withSetting("splitUnitBytes", Long.toString(sst));
  }

  /** The trial of one store, with one way to choose what is overwritten. */
  private static final class Trial {
    private final TrialStore store;
    private final Draw draw;
    private final int reads;
    private final long lookMillis;

    Trial(TrialStore store, Draw draw, Scale scale) {
      this.store = store;
      this.draw = draw;
      this.reads = scale.uncachedReads();
      this.lookMillis = scale.isLittleData() ? 20 : 50;
    }

    /** Returns the space by the user bytes written. */
    Block.Series run(String label, BiConsumer<String, Double> figures) {
      store.load();
      Block.Series line = overwrite(label, figures);
      compare(figures);
      for (int i = 0; i < reads; i++) {
        store.get(store.random().nextInt(store.entries()));
      }
      store.checkAll();
      if (draw == Draw.UNIFORM) {
        delete(figures);
      }
      return line;
    }

    private Block.Series overwrite(String label, BiConsumer<String, Double> figures) {
      Choice choice = new Choice(store.dataset(), new SplittableRandom(SEED));
      long writtenBefore = store.writtenBytes();
      AtomicLong bytes = new AtomicLong();
      FilesWatch watch = new FilesWatch(store.directory(), lookMillis, bytes::get);
      try (watch) {
        for (long i = 0; i < (long) ROUNDS * store.entries(); i++) {
          bytes.addAndGet(store.put(draw.entry(choice)));
        }
        store.store().drain();
      }
      figures.accept(draw.row(PEAK), (double) watch.peakBytes() / store.liveBytes());
      figures.accept(draw.row(END), (double) settledBytes() / store.liveBytes());
      figures.accept(
          draw.row(WRITTEN), (double) (store.writtenBytes() - writtenBefore) / bytes.get());
      return watch.line(label);
    }

    /** Compacts everything, which shows how much of it was superfluous. */
    private void compare(BiConsumer<String, Double> figures) {
      store
          .store()
          .figures()
          .spaceAmplification()
          .ifPresent(estimate -> figures.accept(draw.row(ESTIMATE), estimate));
      long before = store.tableBytes();
      byte[] end = store.dataset().keys().missingKey(store.entries() - 1);
      store.store().compactRange(store.key(0), end);
      store.store().drain();
      settledBytes();
      figures.accept(draw.row(TRUTH), (double) before / store.tableBytes());
    }

    private void delete(BiConsumer<String, Double> figures) {
      for (int place = 0; place < store.entries(); place++) {
        store.store().delete(store.key(store.dataset().inserted(place)));
      }
      figures.accept(LEFT, Figures.inMib(FilesWatch.bytes(store.directory())));
      figures.accept(SCAN, scanOfNothing());
      store.store().drain();
      figures.accept(LEFT_LATER, Figures.inMib(settledBytes()));
      figures.accept(TABLES_LATER, Figures.inMib(store.tableBytes()));
      figures.accept(SCAN_LATER, scanOfNothing());
    }

    /** Milliseconds. */
    private double scanOfNothing() {
      byte[] from = store.key(0);
      long start = System.nanoTime();
      int found = store.store().scan(from, 1, (key, value) -> {});
      double millis = (System.nanoTime() - start) / 1e6;
      if (found > 0) {
        throw store.wrong("shows a deleted entry in a scan");
      }
      return millis;
    }

    /** Bytes of all files once they do not change any more: stores delete files in background. */
    private long settledBytes() {
      long bytes = FilesWatch.bytes(store.directory());
      for (int looks = 0; looks < MOST_LOOKS; looks++) {
        LockSupport.parkNanos(SETTLE_NANOS);
        long now = FilesWatch.bytes(store.directory());
        if (now == bytes) {
          break;
        }
        bytes = now;
      }
      return bytes;
    }
  }
}
