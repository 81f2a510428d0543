package io.sifr.bench.experiment;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.BenchStore;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Values;
import io.sifr.config.Durability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An outbox or a queue of jobs in a store: each step puts an entry at the tail, seeks the head from
 * where the queue begins, and deletes it. In an LSM store what was deleted lies before the head
 * until a compaction drops it, and the seek has to pass it.
 */
final class JobQueue implements Experiment {
  private static final List<StoreKind> STORES =
      List.of(StoreKind.SIFR, StoreKind.ROCKSDB, StoreKind.LMDB);

  private static final byte[] PREFIX = "job/".getBytes(StandardCharsets.US_ASCII);
  private static final int KEY_BYTES = PREFIX.length + Long.BYTES;
  private static final int VALUE_BYTES = 100;
  private static final long SEED = 1;
  private static final Values VALUES =
      new Values(new Shape("job", KEY_BYTES, VALUE_BYTES, VALUE_BYTES), SEED);

  /** Entries of the queue. */
  private static final int LENGTH = 10_000;

  private static final int PARTS = 10;

  /** Seeks of the head after the store was opened again, without writes between them. */
  private static final int LATER_SEEKS = 1_000;

  /** A store that takes longer has as many steps as it has done by then. */
  private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(5);

  private static final double MOST_MICROS = 30;

  /** How much more the head may take in the last tenth than in the second. */
  private static final double MOST_GROWTH = 1.5;

  private static final String PUT = "put, µs";
  private static final String HEAD = "head, µs";
  private static final String DELETE = "delete, µs";
  private static final String SLOWEST = "head in the slowest tenth";
  private static final String FIRST = "first head once opened again, µs";
  private static final String LATER = "head later, µs";

  @Override
  public String name() {
    return "queue";
  }

  @Override
  public String title() {
    return "the head of a queue, as entries are put behind and deleted in front (in no paper)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    int steps = laboratory.scale().queueSteps();
    Findings findings =
        new Findings(laboratory.scale())
            .text(
                Figures.count(LENGTH)
                    + " entries, then "
                    + Figures.count(steps)
                    + " steps: each puts an entry of "
                    + VALUE_BYTES
                    + " bytes at the tail, finds the head by a scan of one entry from where the"
                    + " queue begins, and deletes it. Means of each tenth of the steps.");
    Map<String, Course> courses = new LinkedHashMap<>();
    for (StoreKind store : STORES) {
      laboratory.tell(store.label() + ": queue of " + steps + " steps");
      courses.put(store.label(), new Trial(laboratory, store).run());
    }
    addPlotAndTables(findings, courses);
    Course sifr = Objects.requireNonNull(courses.get(StoreKind.SIFR.label()));
    return findings
        .timeClaim(
            "the aim",
            "queue",
            "the head takes at most 30 µs, and in the last tenth at most 1.5 times the second",
            Measured.value("µs in the slowest tenth", sifr.slowest(), 0, MOST_MICROS)
                .and(growth(sifr)))
        .comparable(
            "the stores with each other, in one process one after the other, with write buffers of"
                + " 4 MiB. A store is cut off after "
                + TimeUnit.NANOSECONDS.toMinutes(MOST_NANOS)
                + " minutes, within a tenth, and has no figures of those that follow. The JVM"
                + " compiles during the first. Background work goes on beside"
                + " the steps. In the end each store is closed and opened again, the head is sought"
                + " once, then "
                + Figures.count(LATER_SEEKS)
                + " times more, and the whole queue is read. Answers are checked. How long the head"
                + " takes a reader with an old snapshot is not measured: the interface that the"
                + " stores share has no snapshots.");
  }

  private static Measured growth(Course course) {
    return course.isComplete
        ? Measured.ratio(
            "in the last",
            course.heads.get(PARTS - 1),
            "in the second",
            course.heads.get(1),
            0,
            MOST_GROWTH)
        : Measured.fact("cut off in tenth " + course.heads.size(), false);
  }

  private static void addPlotAndTables(Findings findings, Map<String, Course> courses) {
    List<String> tenths = IntStream.rangeClosed(1, PARTS).mapToObj(Integer::toString).toList();
    List<Block.Series> lines = new ArrayList<>();
    Map<String, Map<String, Double>> parts = new LinkedHashMap<>();
    Map<String, Map<String, Double>> few = new LinkedHashMap<>();
    Map<String, Map<String, Double>> contests = new LinkedHashMap<>();
    courses.forEach(
        (store, course) -> {
          List<Double> x =
              IntStream.rangeClosed(1, course.heads.size())
                  .mapToObj(part -> (double) part)
                  .toList();
          lines.add(new Block.Series(store, x, course.heads));
          parts.put(store + ": " + PUT, row(tenths, course.puts));
          parts.put(store + ": " + HEAD, row(tenths, course.heads));
          parts.put(store + ": " + DELETE, row(tenths, course.deletes));
          course
              .means()
              .forEach(
                  (name, mean) -> {
                    few.computeIfAbsent(store, key -> new LinkedHashMap<>()).put(name, mean);
                    contests.computeIfAbsent(name, key -> new LinkedHashMap<>()).put(store, mean);
                  });
        });
    contests.forEach((name, row) -> findings.contest("queue: " + name, Measure.TIME, row));
    List<String> columns = List.copyOf(contests.keySet());
    findings
        .lines(
            "Time to find the head",
            Block.Axis.linear("tenth of the steps"),
            Block.Axis.logarithmic("µs"),
            lines)
        .add(Findings.table("", tenths, parts))
        .add(Findings.table("", columns, few))
        .summary(BaseRun.table(Map.of(HEAD, contests.getOrDefault(HEAD, Map.of()))));
  }

  private static Map<String, Double> row(List<String> columns, List<Double> figures) {
    Map<String, Double> row = new LinkedHashMap<>();
    for (int i = 0; i < figures.size(); i++) {
      row.put(columns.get(i), figures.get(i));
    }
    return row;
  }

  /** The mean microseconds of each operation, by tenth, and of the head later. */
  private static final class Course {
    private final List<Double> puts = new ArrayList<>();
    private final List<Double> heads = new ArrayList<>();
    private final List<Double> deletes = new ArrayList<>();
    private boolean isComplete;
    private double first;
    private double later;

    private double slowest() {
      return Collections.max(heads);
    }

    /** The figures of all steps, and of the store once it was opened again. */
    private Map<String, Double> means() {
      Map<String, Double> means = new LinkedHashMap<>();
      means.put(PUT, mean(puts));
      means.put(HEAD, mean(heads));
      means.put(DELETE, mean(deletes));
      means.put(SLOWEST, slowest());
      means.put(FIRST, first);
      means.put(LATER, later);
      return means;
    }

    private static double mean(List<Double> figures) {
      return figures.stream().collect(Collectors.averagingDouble(figure -> figure));
    }
  }

  /** The first entry of the last scan. */
  private static final class Head implements BenchStore.EntryVisitor {
    private byte[] key = {};
    private byte[] value = {};

    @Override
    public void visit(byte[] foundKey, byte[] foundValue) {
      key = foundKey;
      value = foundValue;
    }
  }

  /** One store. */
  private static final class Trial {
    private final StoreKind kind;
    private final Path directory;
    private final int steps;
    private int done;
    private final Course course = new Course();
    private final Head head = new Head();

    Trial(Laboratory laboratory, StoreKind kind) {
      this.kind = kind;
      this.directory = laboratory.directory().resolve("sifr-bench-queue");
      this.steps = laboratory.scale().queueSteps();
    }

    Course run() {
      try {
        Files.createDirectories(directory);
        try (BenchStore store = open()) {
          for (int entry = 0; entry < LENGTH; entry++) {
            store.put(key(entry), VALUES.value(entry, 1));
          }
          long end = System.nanoTime() + MOST_NANOS;
          for (int part = 0; part < PARTS && !isOver(end); part++) {
            measure(store, part, end);
          }
          course.isComplete = done == steps;
        }
        try (BenchStore store = open()) {
          measureLater(store);
          checkAll(store);
        }
        return course;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        DiskSpace.delete(directory);
      }
    }

    private BenchStore open() {
      Terms terms = Terms.plain(Durability.BUFFERED, RandomLoad.WRITE_BUFFER_BYTES, 64 << 20);
      return kind.open(directory, terms, (long) LENGTH * (KEY_BYTES + VALUE_BYTES));
    }

    private static boolean isOver(long end) {
      return System.nanoTime() - end > 0;
    }

    private void measure(BenchStore store, int part, long end) {
      int from = done;
      int to = (int) ((long) steps * (part + 1) / PARTS);
      long putNanos = 0;
      long headNanos = 0;
      long deleteNanos = 0;
      for (; done < to && !isOver(end); done++) {
        byte[] tailKey = key(LENGTH + done);
        byte[] tailValue = VALUES.value(LENGTH + done, 1);
        long start = System.nanoTime();
        store.put(tailKey, tailValue);
        long put = System.nanoTime();
        int found = store.scan(PREFIX, 1, head);
        long sought = System.nanoTime();
        checkHead(found, done);
        long checked = System.nanoTime();
        store.delete(head.key);
        deleteNanos += System.nanoTime() - checked;
        putNanos += put - start;
        headNanos += sought - put;
      }
      if (done > from) {
        course.puts.add(micros(putNanos, done - from));
        course.heads.add(micros(headNanos, done - from));
        course.deletes.add(micros(deleteNanos, done - from));
      }
    }

    private void measureLater(BenchStore store) {
      course.first = heads(store, 1);
      course.later = heads(store, LATER_SEEKS);
    }

    /** Mean microseconds of a seek of the head, which nobody moves meanwhile. */
    private double heads(BenchStore store, int count) {
      long nanos = 0;
      for (int i = 0; i < count; i++) {
        long start = System.nanoTime();
        int found = store.scan(PREFIX, 1, head);
        nanos += System.nanoTime() - start;
        checkHead(found, done);
      }
      return micros(nanos, count);
    }

    private void checkHead(int found, int expected) {
      if (found != 1 || !isEntry(head.key, head.value, expected)) {
        throw new IllegalStateException(kind.label() + " does not find the head, job " + expected);
      }
    }

    /** Checks that the queue consists of the entries put last, in their order. */
    private void checkAll(BenchStore store) {
      List<byte[]> keys = new ArrayList<>();
      List<byte[]> values = new ArrayList<>();
      store.scan(
          PREFIX,
          LENGTH + 1,
          (key, value) -> {
            keys.add(key);
            values.add(value);
          });
      if (keys.size() != LENGTH) {
        throw new IllegalStateException(
            kind.label() + " has " + keys.size() + " jobs; " + LENGTH + " are right");
      }
      for (int i = 0; i < LENGTH; i++) {
        if (!isEntry(keys.get(i), values.get(i), done + i)) {
          throw new IllegalStateException(kind.label() + " has lost job " + (done + i));
        }
      }
    }

    private static boolean isEntry(byte[] key, byte[] value, int entry) {
      return Arrays.equals(key, key(entry)) && VALUES.matches(value, entry, 1);
    }

    private static byte[] key(int entry) {
      return ByteBuffer.allocate(KEY_BYTES).put(PREFIX).putLong(entry).array();
    }

    private static double micros(long nanos, int count) {
      return nanos / 1e3 / count;
    }
  }
}
