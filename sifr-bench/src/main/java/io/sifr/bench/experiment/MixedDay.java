package io.sifr.bench.experiment;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.BenchStore;
import io.sifr.bench.store.StoreFigures;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Choice;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import io.sifr.config.Durability;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A store that is loaded, left alone, read, overwritten, scanned and left alone again: what it
 * writes meanwhile, how many trees it has, and what a read costs once it has been read for a while.
 */
final class MixedDay implements Experiment {
  private static final long SEED = 1;

  /** Times that all stores are read in turns; the first does not count, as the JVM compiles. */
  private static final int TURNS = 6;

  /** Gets of the part of the day in which the store is only read, for each entry. */
  private static final int READS_AN_ENTRY = 2;

  /** One in so many entries is overwritten. */
  private static final int OVERWRITTEN_SHARE = 2;

  private static final int SCAN_ENTRIES = 100;

  /** A scan takes as long as some twenty gets. */
  private static final int GETS_A_SCAN = 20;

  /** Of one get in so many the value is compared, of the others only its being there. */
  private static final int COMPARED_ONE_IN = 64;

  private static final String WRITTEN = ": bytes/byte";
  private static final String TREES = ": trees";

  /** What takes part in the comparison. */
  private enum Form {
    ADAPTIVE("sifr", StoreKind.SIFR),
    FULL_STAGES_ONLY("sifr, full stages only", StoreKind.SIFR),
    ROCKSDB("rocksdb", StoreKind.ROCKSDB),
    LMDB("lmdb", StoreKind.LMDB);

    private final String label;
    private final StoreKind kind;

    Form(String label, StoreKind kind) {
      this.label = label;
      this.kind = kind;
    }

    Terms terms() {
      Terms plain =
          Terms.plain(Durability.BUFFERED, RandomLoad.WRITE_BUFFER_BYTES, 64 << 20).withBloom(true);
      Terms own =
          this == FULL_STAGES_ONLY
              ? plain
                  .withSetting("readMergeBytesPerSecond", "0")
                  .withSetting("maxSpaceAmplification", "0")
              : plain;
      return own.keptBy(kind);
    }
  }

  /** Parts of the day. */
  private enum Part {
    LOADED("loaded"),
    LEFT_ALONE("left alone"),
    READ("read"),
    OVERWRITTEN("overwritten"),
    SCANNED("scanned"),
    LEFT_ALONE_AGAIN("left alone again");

    private final String label;

    Part(String label) {
      this.label = label;
    }
  }

  /** Kinds of reads, and the most that they are to take of their time with many trees. */
  private enum Read {
    HIT("get, hit", 1, 0.95),
    MISS("get, miss", 1, 0.8),
    ZIPFIAN("get, Zipfian", 1, 0.95),
    SCAN("scan of 100", GETS_A_SCAN, 0.7),
    SEEK("seek and one entry", 4, 0.6);

    private final String label;

    /** As many gets take about as long. */
    private final int gets;

    private final double mostOfBefore;

    Read(String label, int gets, double mostOfBefore) {
      this.label = label;
      this.gets = gets;
      this.mostOfBefore = mostOfBefore;
    }
  }

  @Override
  public String name() {
    return "day";
  }

  @Override
  public String title() {
    return "a store that is loaded, left alone, read and overwritten (in no paper)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings = new Findings(laboratory.scale());
    List<Trial> trials = new ArrayList<>();
    try {
      for (Form form : Form.values()) {
        laboratory.tell(form.label + ": load, read");
        Trial trial = new Trial(laboratory, form);
        trials.add(trial);
        trial.loadAndRead();
      }
      laboratory.tell(
          Stream.of(Read.values())
              .map(read -> read.label)
              .collect(Collectors.joining(", ", "all in turns: ", "")));
      for (int turn = 0; turn < TURNS; turn++) {
        for (Read read : Read.values()) {
          for (Trial trial : trials) {
            trial.measure(read, turn > 0);
          }
        }
      }
      for (Trial trial : trials) {
        laboratory.tell(trial.form.label + ": overwrite, scan");
        trial.overwriteAndScan();
      }
    } finally {
      trials.forEach(Trial::close);
    }
    return report(findings, laboratory.scale(), trials);
  }

  private static Findings report(Findings findings, Scale scale, List<Trial> trials) {
    List<String> stores = trials.stream().map(trial -> trial.form.label).toList();
    Map<String, Map<String, Double>> times = new LinkedHashMap<>();
    for (Read read : Read.values()) {
      Map<String, Double> row = new LinkedHashMap<>();
      trials.forEach(trial -> row.put(trial.form.label, trial.micros(read)));
      times.put(read.label + ", CPU µs", row);
      findings.contest("day: " + read.label + ", CPU µs", Measure.TIME, row);
    }
    Map<String, Map<String, Double>> parts = new LinkedHashMap<>();
    for (String what : List.of(WRITTEN, TREES)) {
      for (Part part : Part.values()) {
        Map<String, Double> row = new LinkedHashMap<>();
        for (Trial trial : trials) {
          Double figure = (what.equals(WRITTEN) ? trial.written : trial.trees).get(part);
          if (figure != null) {
            row.put(trial.form.label, figure);
          }
        }
        parts.put(part.label + what, row);
      }
    }
    Measured spared = null;
    for (Read read : Read.values()) {
      Measured here =
          Measured.ratio(
              read.label,
              of(Form.ADAPTIVE, trials).micros(read),
              "before",
              of(Form.FULL_STAGES_ONLY, trials).micros(read),
              0,
              read.mostOfBefore);
      spared = spared == null ? here : spared.and(here);
    }
    Map<String, Map<String, Double>> all = new LinkedHashMap<>(times);
    all.putAll(parts);
    Map<String, Map<String, Double>> few = new LinkedHashMap<>(times);
    few.keySet().retainAll(List.of(Read.SEEK.label + ", CPU µs"));
    return findings
        .add(
            new Block.BarPlot(
                "CPU time of a read once the store has been read for a while",
                Block.Axis.logarithmic("µs"),
                Arrays.stream(Read.values()).map(read -> read.label).toList(),
                trials.stream()
                    .map(
                        trial ->
                            new Block.Bars(
                                trial.form.label,
                                Arrays.stream(Read.values()).map(trial::micros).toList()))
                    .toList()))
        .add(Findings.table("", stores, all))
        .summary(BaseRun.table(few)) // in the table that other experiments share
        .timeClaim(
            "the aim",
            "day",
            "merges for readers spare them what more than one tree costs",
            spared == null ? Measured.nothing("nothing was read") : spared)
        .comparable(
            "the stores with each other, in one process, all of them open; each is read in turns"
                + " with the others, "
                + (TURNS - 1)
                + " times, of which the median counts. With filters of 10 bits, write buffers of 4"
                + " MiB. After the load of "
                + Figures.count(scale.entries())
                + " entries in random order each is left alone, then read by "
                + READS_AN_ENTRY
                + " gets an entry; after the turns a part is overwritten, Zipfian, and scanned."
                + " Bytes are those of flushes and compactions since the beginning for each byte of"
                + " the load. \""
                + Form.FULL_STAGES_ONLY.label
                + "\" merges neither for readers nor for space, and does not step back. Answers are"
                + " checked.");
  }

  private static Trial of(Form form, List<Trial> trials) {
    return trials.stream().filter(trial -> trial.form == form).findFirst().orElseThrow();
  }

  /** The day of one store. Used by one thread. */
  private static final class Trial {
    private final Form form;
    private final int entries;
    private final int reads;

    /** Longer than what makes a store idle. */
    private final long idleNanos;

    private final Path directory;
    private final Dataset dataset;
    private final int[] versions;
    private final BenchStore store;
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Map<Read, List<Double>> micros = new LinkedHashMap<>();
    private final Map<Part, Double> written = new LinkedHashMap<>();
    private final Map<Part, Double> trees = new LinkedHashMap<>();
    private final SplittableRandom random = new SplittableRandom(SEED);
    private long userBytes;

    Trial(Laboratory laboratory, Form form) {
      this.form = form;
      Scale scale = laboratory.scale();
      this.entries = scale.entries();
      this.reads = scale.uncachedReads();
      this.idleNanos = scale.isLittleData() ? 0 : TimeUnit.SECONDS.toNanos(25);
      this.directory =
          laboratory.newDirectory("sifr-bench-day-" + form.name().toLowerCase(Locale.ROOT));
      this.dataset = new Dataset(Shape.PAPER, entries, false, SEED);
      this.versions = new int[entries];
      // Twice the data: a store that is one file grows while it is overwritten.
      long expected = (long) (2 * entries * Shape.PAPER.averageEntryBytes());
      this.store = form.kind.open(directory, form.terms(), expected);
    }

    void loadAndRead() {
      for (int place = 0; place < entries; place++) {
        userBytes += put(dataset.inserted(place));
      }
      dataset.wereInserted(entries);
      store.drain();
      note(Part.LOADED);
      LockSupport.parkNanos(idleNanos);
      store.drain();
      note(Part.LEFT_ALONE);
      for (long i = 0; i < (long) READS_AN_ENTRY * entries; i++) {
        get(random.nextInt(entries));
      }
      store.drain();
      note(Part.READ);
    }

    void overwriteAndScan() {
      Choice choice = new Choice(dataset, random);
      for (int i = 0; i < entries / OVERWRITTEN_SHARE; i++) {
        var unused = put(choice.zipfian());
      }
      store.drain();
      note(Part.OVERWRITTEN);
      for (int i = 0; i < reads / GETS_A_SCAN; i++) {
        scan(random.nextInt(entries), SCAN_ENTRIES);
      }
      store.drain();
      note(Part.SCANNED);
      LockSupport.parkNanos(idleNanos);
      store.drain();
      note(Part.LEFT_ALONE_AGAIN);
    }

    private void note(Part part) {
      StoreFigures now = store.figures();
      now.tableBytes().ifPresent(bytes -> written.put(part, (double) bytes / userBytes));
      now.sortedRuns().ifPresent(runs -> trees.put(part, (double) runs));
    }

    /** Puts the next version of an entry; returns its bytes. */
    private int put(int entry) {
      byte[] key = dataset.keys().key(entry);
      byte[] value = dataset.values().value(entry, ++versions[entry]);
      store.put(key, value);
      return key.length + value.length;
    }

    /** Measures some reads of a kind. */
    void measure(Read read, boolean counts) {
      Choice choice = new Choice(dataset, random);
      int calls = reads / read.gets;
      long start = threads.getCurrentThreadCpuTime();
      for (int i = 0; i < calls; i++) {
        switch (read) {
          case HIT -> get(random.nextInt(entries));
          case MISS -> miss(random.nextInt(entries));
          case ZIPFIAN -> get(choice.zipfian());
          case SCAN -> scan(random.nextInt(entries), SCAN_ENTRIES);
          case SEEK -> scan(random.nextInt(entries), 1);
        }
      }
      if (counts) {
        micros
            .computeIfAbsent(read, kind -> new ArrayList<>())
            .add((threads.getCurrentThreadCpuTime() - start) / 1e3 / calls);
      }
    }

    /** The median of what was measured. */
    double micros(Read read) {
      List<Double> sorted = micros.getOrDefault(read, List.of()).stream().sorted().toList();
      return sorted.get(sorted.size() / 2);
    }

    private void get(int entry) {
      byte[] value = store.get(dataset.keys().key(entry));
      if (value == null
          || (entry % COMPARED_ONE_IN == 0
              && !dataset.values().matches(value, entry, versions[entry]))) {
        throw new IllegalStateException(
            form.label + " has lost the newest version of entry " + entry);
      }
    }

    private void miss(int entry) {
      if (store.get(dataset.keys().missingKey(entry)) != null) {
        throw new IllegalStateException(form.label + " has an entry that nobody has put");
      }
    }

    private void scan(int entry, int limit) {
      int found = store.scan(dataset.keys().key(entry), limit, (key, value) -> {});
      if (found != Math.min(limit, entries - entry)) {
        throw new IllegalStateException(form.label + " scans " + found + " entries of " + limit);
      }
    }

    void close() {
      store.close();
      DiskSpace.delete(directory);
    }
  }
}
