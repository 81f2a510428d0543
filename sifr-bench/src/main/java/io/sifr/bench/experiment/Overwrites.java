package io.sifr.bench.experiment;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.BenchStore;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Choice;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The space that overwritten and deleted entries take, and what it costs to get it back. */
final class Overwrites implements Experiment {
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

  /** The data is at least this many write buffers, so that there are merges. */
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

  /** Which entries are overwritten. */
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

  @Override
  public String name() {
    return "overwrites";
  }

  @Override
  public String title() {
    return "space of overwritten and deleted entries (in no paper)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings = new Findings(laboratory.scale());
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    for (Draw draw : Draw.values()) {
      OF_EACH_DRAW.forEach(figure -> rows.put(draw.row(figure), new LinkedHashMap<>()));
    }
    OF_DELETION.forEach(figure -> rows.put(figure, new LinkedHashMap<>()));
    for (Draw draw : Draw.values()) {
      List<Block.Series> curves = new ArrayList<>();
      for (StoreKind store : STORES) {
        laboratory.tell(store.label() + ": load, " + draw.label + " overwrites");
        Trial trial = new Trial(laboratory, store, draw);
        curves.add(trial.run());
        trial.figures.forEach((name, figure) -> row(rows, name).put(store.label(), figure));
      }
      findings.lines(
          "Files of the store during overwrites, " + draw.label,
          Block.Axis.linear("user data overwritten, MiB"),
          Block.Axis.linear("space, MiB"),
          curves);
    }
    for (String name : List.of(Draw.UNIFORM.row(END), Draw.UNIFORM.row(WRITTEN), LEFT_LATER)) {
      // With little data most of the space is that of the log.
      if (!laboratory.scale().isLittleData()) {
        findings.contest("overwrites, " + name, Measure.AMOUNT, row(rows, name));
      }
    }
    Map<String, Map<String, Double>> few = new LinkedHashMap<>(rows);
    few.keySet().retainAll(List.of(Draw.UNIFORM.row(END), Draw.UNIFORM.row(WRITTEN)));
    judge(findings, rows);
    return findings
        .add(Findings.table("", STORES.stream().map(StoreKind::label).toList(), rows))
        .summary(BaseRun.table(few)) // in the table that other experiments share
        .contest("overwrites, " + SCAN, Measure.TIME, row(rows, SCAN))
        .comparable(
            "the stores with each other, in one process one after the other. "
                + Figures.count(entries(laboratory.scale()))
                + " entries are loaded, and as many times "
                + ROUNDS
                + " overwritten; bytes per user byte and the peak are of the overwrites alone. Space"
                + " is that of all files, logs among them, and of deleted files that the process"
                + " still has open; it is sampled, and a short peak goes unnoticed. After the uniform"
                + " overwrites and a full compaction all entries are deleted one by one, in random"
                + " order. A scan of nothing is one scan, without a second try. Filters are off."
                + " Answers are checked.");
  }

  private static void judge(Findings findings, Map<String, Map<String, Double>> rows) {
    String sifr = StoreKind.SIFR.label();
    String worstStore = "";
    double worst = 0;
    Measured space = null;
    for (Draw draw : Draw.values()) {
      Measured here =
          Measured.value(draw.label + " peak", row(rows, draw.row(PEAK)).get(sifr), 0, MOST_PEAK)
              .and(Measured.value("end", row(rows, draw.row(END)).get(sifr), 0, MOST_AT_END));
      space = space == null ? here : space.and(here);
      for (String store : row(rows, draw.row(ESTIMATE)).keySet()) {
        double off =
            off(row(rows, draw.row(ESTIMATE)).get(store), row(rows, draw.row(TRUTH)).get(store));
        if (worstStore.isEmpty() || Math.abs(off) > Math.abs(worst)) {
          worstStore = store + ", " + draw.label;
          worst = off;
        }
      }
    }
    // With little data most of the space is that of the log.
    findings
        .claimOfMuchData(
            "the aim",
            "overwrites",
            "the store takes at most %s times its live data, and %s times at the end"
                .formatted(Numbers.number(MOST_PEAK), Numbers.number(MOST_AT_END)),
            space == null ? Measured.nothing("nothing was overwritten") : space)
        .claim(
            "the aim",
            "overwrites",
            "the estimate of each form of Sifr is within 20 % of what a compaction shows",
            worstStore.isEmpty()
                ? Measured.nothing("no estimate")
                : Measured.fact(
                    "the worst %+.0f %%, of %s".formatted(100 * worst, worstStore),
                    Math.abs(worst) <= TOLERANCE));
  }

  /** By how much an estimate is wrong, as a share of the truth; infinitely if there is none. */
  private static double off(@Nullable Double estimate, @Nullable Double truth) {
    return estimate == null || truth == null ? Double.POSITIVE_INFINITY : estimate / truth - 1;
  }

  private static Map<String, Double> row(Map<String, Map<String, Double>> rows, String name) {
    Map<String, Double> row = rows.get(name);
    if (row == null) {
      throw new IllegalArgumentException("there is no row " + name);
    }
    return row;
  }

  private static int entries(Scale scale) {
    return scale.entries() / SHARE;
  }

  /** One store, and one way to choose what is overwritten. */
  private static final class Trial {
    private final StoreKind kind;
    private final Draw draw;
    private final Path directory;
    private final int entries;
    private final int reads;
    private final long lookMillis;
    private final Dataset dataset;

    /** Of each entry how often it was written. */
    private final int[] writes;

    /** Bytes of all entries as they are now. */
    private long liveBytes;

    private final AtomicLong overwrittenBytes = new AtomicLong();
    private final Map<String, Double> figures = new LinkedHashMap<>();

    Trial(Laboratory laboratory, StoreKind kind, Draw draw) {
      this.kind = kind;
      this.draw = draw;
      this.directory = laboratory.newDirectory("sifr-bench-overwrites");
      this.entries = entries(laboratory.scale());
      this.reads = laboratory.scale().uncachedReads();
      this.lookMillis = laboratory.scale().isLittleData() ? 20 : 50;
      this.dataset = new Dataset(Shape.PAPER, entries, false, SEED);
      this.writes = new int[entries];
    }

    /** Returns the space by the user bytes written. */
    Block.Series run() {
      long expected = (long) (entries * Shape.PAPER.averageEntryBytes());
      Terms terms = terms(expected);
      try (BenchStore store = kind.open(directory, terms, expected)) {
        for (int place = 0; place < entries; place++) {
          put(store, dataset.inserted(place));
        }
        dataset.wereInserted(entries);
        store.drain();
        Block.Series line = overwrite(store);
        compare(store);
        checkSome(store);
        checkAll(store);
        if (draw == Draw.UNIFORM) {
          delete(store);
        }
        return line;
      } finally {
        DiskSpace.delete(directory);
      }
    }

    /**
     * The files of RocksDB are as small as its write buffer demands; those of Sifr are made so,
     * too, for otherwise a small store is a single SST.
     */
    private Terms terms(long bytes) {
      long buffer = Math.min(MOST_BUFFER_BYTES, bytes / BUFFERS);
      return Terms.plain(Durability.BUFFERED, buffer, 64 << 20)
          .withSetting(
              "splitUnitBytes", Long.toString(Math.max(LEAST_SST_BYTES, buffer / SSTS_OF_A_BUFFER)))
          .keptBy(kind);
    }

    private Block.Series overwrite(BenchStore store) {
      Choice choice = new Choice(dataset, new SplittableRandom(SEED));
      long writtenBefore = written(store);
      FilesWatch watch = new FilesWatch(directory, lookMillis, overwrittenBytes::get);
      try (watch) {
        long bytes = 0;
        for (long i = 0; i < (long) ROUNDS * entries; i++) {
          bytes += put(store, draw.entry(choice));
          overwrittenBytes.setRelease(bytes);
        }
        store.drain();
      }
      figures.put(draw.row(PEAK), (double) watch.peakBytes() / liveBytes);
      figures.put(draw.row(END), (double) settledBytes() / liveBytes);
      figures.put(
          draw.row(WRITTEN), (double) (written(store) - writtenBefore) / overwrittenBytes.get());
      return watch.line(kind.label());
    }

    /** Puts the next version of an entry; returns its bytes. */
    private int put(BenchStore store, int entry) {
      byte[] key = dataset.keys().key(entry);
      byte[] value = dataset.values().value(entry, writes[entry] + 1);
      store.put(key, value);
      if (writes[entry] > 0) {
        liveBytes -= key.length + dataset.values().value(entry, writes[entry]).length;
      }
      liveBytes += key.length + value.length;
      writes[entry]++;
      return key.length + value.length;
    }

    /** Compacts everything, which shows how much of it was superfluous. */
    private void compare(BenchStore store) {
      store
          .figures()
          .spaceAmplification()
          .ifPresent(estimate -> figures.put(draw.row(ESTIMATE), estimate));
      long before = tableBytes();
      store.compactRange(dataset.keys().key(0), dataset.keys().missingKey(entries - 1));
      store.drain();
      settledBytes();
      figures.put(draw.row(TRUTH), (double) before / tableBytes());
    }

    private void delete(BenchStore store) {
      for (int place = 0; place < entries; place++) {
        store.delete(dataset.keys().key(dataset.inserted(place)));
      }
      figures.put(LEFT, Figures.inMib(FilesWatch.bytes(directory)));
      figures.put(SCAN, scanOfNothing(store));
      store.drain();
      figures.put(LEFT_LATER, Figures.inMib(settledBytes()));
      figures.put(TABLES_LATER, Figures.inMib(tableBytes()));
      figures.put(SCAN_LATER, scanOfNothing(store));
    }

    /** Milliseconds. */
    private double scanOfNothing(BenchStore store) {
      byte[] from = dataset.keys().key(0);
      long start = System.nanoTime();
      int found = store.scan(from, 1, (key, value) -> {});
      double millis = (System.nanoTime() - start) / 1e6;
      if (found > 0) {
        throw new IllegalStateException(kind.label() + " shows a deleted entry in a scan");
      }
      return millis;
    }

    /** Bytes of all files once they do not change any more: stores delete files in background. */
    private long settledBytes() {
      long bytes = FilesWatch.bytes(directory);
      for (int looks = 0; looks < MOST_LOOKS; looks++) {
        LockSupport.parkNanos(SETTLE_NANOS);
        long now = FilesWatch.bytes(directory);
        if (now == bytes) {
          break;
        }
        bytes = now;
      }
      return bytes;
    }

    private long tableBytes() {
      return DiskSpace.bytesByExtension(directory).getOrDefault("sst", 0L);
    }

    private static long written(BenchStore store) {
      return store.figures().tableBytes().orElse(0);
    }

    private void checkSome(BenchStore store) {
      SplittableRandom random = new SplittableRandom(SEED);
      for (int i = 0; i < reads; i++) {
        int entry = random.nextInt(entries);
        byte[] value = store.get(dataset.keys().key(entry));
        if (value == null || !dataset.values().matches(value, entry, writes[entry])) {
          throw new IllegalStateException(
              kind.label() + " has lost the newest version of entry " + entry);
        }
      }
    }

    private void checkAll(BenchStore store) {
      int found =
          store.scan(
              dataset.keys().key(0),
              entries,
              (key, value) -> {
                int entry = dataset.keys().entryOf(key);
                if (entry < 0 || !dataset.values().matches(value, entry, writes[entry])) {
                  throw new IllegalStateException(
                      kind.label() + " shows a wrong version of entry " + entry);
                }
              });
      if (found != entries) {
        throw new IllegalStateException(
            kind.label() + " has " + found + " entries; " + entries + " are right");
      }
    }
  }
}
