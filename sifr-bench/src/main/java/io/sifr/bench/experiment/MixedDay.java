package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreFigures;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Choice;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A store that is loaded, left alone, read, overwritten, scanned and left alone again: what it
 * writes meanwhile, how many trees it has, and what a read costs once it has been read for a while.
 */
final class MixedDay {
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

  /** A participant of the comparison. */
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
      Terms plain = Laboratory.TERMS.withBloom(true);
      return this == FULL_STAGES_ONLY
          ? plain
              .withSetting("readCompactionBytesPerSecond", "0")
              .withSetting("maxSpaceAmplification", "0")
          : plain;
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

    String row() {
      return label + ", CPU µs";
    }
  }

  private MixedDay() {}

  static void run(Laboratory laboratory, Findings findings) {
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
    report(findings, laboratory.scale(), trials);
  }

  private static void report(Findings findings, Scale scale, List<Trial> trials) {
    List<String> stores = trials.stream().map(trial -> trial.form.label).toList();
    Grid times = new Grid("", stores);
    Grid parts = new Grid("", stores);
    for (Trial trial : trials) {
      for (Read read : Read.values()) {
        times.put(read.row(), trial.form.label, trial.micros(read));
      }
    }
    for (String what : List.of(WRITTEN, TREES)) {
      for (Part part : Part.values()) {
        for (Trial trial : trials) {
          Map<Part, Double> figures = what.equals(WRITTEN) ? trial.written : trial.trees;
          parts.put(part.label + what, trial.form.label, figures.get(part));
        }
      }
    }
    Measured spared =
        Stream.of(Read.values())
            .map(
                read ->
                    times
                        .ratio(read.row(), Form.ADAPTIVE.label, Form.FULL_STAGES_ONLY.label)
                        .atMost(read.mostOfBefore))
            .reduce(Measured::and)
            .orElseThrow();
    findings
        .fact("turns", TURNS - 1)
        .fact("entries", scale.entries())
        .fact("readsAnEntry", READS_AN_ENTRY)
        .fact("fullStagesOnly", Form.FULL_STAGES_ONLY.label)
        .contests("day: ", Measure.TIME, times, times.rows())
        .add(
            times.bars(
                "CPU time of a read once the store has been read for a while",
                Block.Axis.logarithmic("µs")))
        .table(times.and(parts))
        .sharedSummary(times.only(Read.SEEK.row()))
        .timeClaim(
            "the aim day", "merges for readers spare them what more than one tree costs", spared);
  }

  /** The day of one store. Used by one thread. */
  private static final class Trial implements AutoCloseable {
    private final Form form;
    private final TrialStore store;
    private final int reads;

    /** Longer than what makes a store idle. */
    private final long idleNanos;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Map<Read, List<Double>> micros = new LinkedHashMap<>();
    private final Map<Part, Double> written = new LinkedHashMap<>();
    private final Map<Part, Double> trees = new LinkedHashMap<>();
    private long loadedBytes;

    Trial(Laboratory laboratory, Form form) {
      this.form = form;
      Scale scale = laboratory.scale();
      this.reads = scale.uncachedReads();
      this.idleNanos = scale.isLittleData() ? 0 : TimeUnit.SECONDS.toNanos(25);
      // Twice the data: a store that is one file grows while it is overwritten.
      this.store =
          new TrialStore(
              laboratory,
              form.label,
              "day-" + form.name().toLowerCase(Locale.ROOT),
              form.kind,
              form.terms(),
              scale.entries(),
              2);
    }

    void loadAndRead() {
      store.load();
      loadedBytes = store.userBytes();
      note(Part.LOADED);
      LockSupport.parkNanos(idleNanos);
      note(Part.LEFT_ALONE);
      for (long i = 0; i < (long) READS_AN_ENTRY * store.entries(); i++) {
        get(any());
      }
      note(Part.READ);
    }

    void overwriteAndScan() {
      Choice choice = new Choice(store.dataset(), store.random());
      for (int i = 0; i < store.entries() / OVERWRITTEN_SHARE; i++) {
        store.put(choice.zipfian());
      }
      note(Part.OVERWRITTEN);
      for (int i = 0; i < reads / GETS_A_SCAN; i++) {
        scan(any(), SCAN_ENTRIES);
      }
      note(Part.SCANNED);
      LockSupport.parkNanos(idleNanos);
      note(Part.LEFT_ALONE_AGAIN);
    }

    private void note(Part part) {
      store.store().drain();
      StoreFigures now = store.store().figures();
      now.tableBytes().ifPresent(bytes -> written.put(part, (double) bytes / loadedBytes));
      now.sortedRuns().ifPresent(runs -> trees.put(part, (double) runs));
    }

    /** Measures some reads of a kind. */
    void measure(Read read, boolean counts) {
      Choice choice = new Choice(store.dataset(), store.random());
      int calls = reads / read.gets;
      long start = threads.getCurrentThreadCpuTime();
      for (int i = 0; i < calls; i++) {
        switch (read) {
          case HIT -> get(any());
          case MISS -> store.miss(store.dataset().keys().missingKey(any()));
          case ZIPFIAN -> get(choice.zipfian());
          case SCAN -> scan(any(), SCAN_ENTRIES);
          case SEEK -> scan(any(), 1);
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

    private int any() {
      return store.random().nextInt(store.entries());
    }

    private void get(int entry) {
      store.get(entry, entry % COMPARED_ONE_IN == 0);
    }

    private void scan(int entry, int limit) {
      int found = store.store().scan(store.key(entry), limit, (key, value) -> {});
      if (found != Math.min(limit, store.entries() - entry)) {
        throw store.wrong("scans " + found + " entries of " + limit);
      }
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
