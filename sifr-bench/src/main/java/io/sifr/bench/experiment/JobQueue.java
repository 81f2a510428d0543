package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.store.BenchStore;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Values;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An outbox or a queue of jobs in a store: each step puts an entry at the tail, seeks the head from
 * where the queue begins, and deletes it. In an LSM store what was deleted lies before the head
 * until a compaction drops it, and the seek has to pass it.
 */
final class JobQueue {
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

  /** The most that the head may take in the last tenth, in relation to the second. */
  private static final double MOST_GROWTH = 1.5;

  private static final String PUT = "put, µs";
  private static final String HEAD = "head, µs";
  private static final String DELETE = "delete, µs";
  private static final String SLOWEST = "head in the slowest tenth";
  private static final String FIRST = "first head once opened again, µs";
  private static final String LATER = "head later, µs";

  private JobQueue() {}

  static void run(Laboratory laboratory, Findings findings) {
    int steps = laboratory.scale().queueSteps();
    List<String> tenths = IntStream.rangeClosed(1, PARTS).mapToObj(Integer::toString).toList();
    Grid parts = new Grid("", tenths);
    Grid means = new Grid("", List.of(PUT, HEAD, DELETE, SLOWEST, FIRST, LATER));
    List<Block.Series> lines = new ArrayList<>();
    Measured growth = Measured.nothing("not measured");
    for (StoreKind kind : STORES) {
      String name = kind.label();
      laboratory.tell(name + ": queue of " + steps + " steps");
      Course course =
          laboratory.inDirectory(
              "queue", directory -> new Trial(laboratory.scale(), kind, directory).run());
      for (int part = 0; part < course.heads.size(); part++) {
        parts.put(name + ": " + PUT, tenths.get(part), course.puts.get(part));
        parts.put(name + ": " + HEAD, tenths.get(part), course.heads.get(part));
        parts.put(name + ": " + DELETE, tenths.get(part), course.deletes.get(part));
      }
      if (kind == StoreKind.SIFR) {
        growth = growth(course);
      }
      means
          .put(name, PUT, mean(course.puts))
          .put(name, HEAD, mean(course.heads))
          .put(name, DELETE, mean(course.deletes))
          .put(name, SLOWEST, Collections.max(course.heads))
          .put(name, FIRST, course.first)
          .put(name, LATER, course.later);
      lines.add(
          new Block.Series(
              name,
              IntStream.rangeClosed(1, course.heads.size())
                  .mapToObj(part -> (double) part)
                  .toList(),
              course.heads));
    }
    Grid byStore = means.turned();
    findings
        .fact("length", LENGTH)
        .fact("steps", steps)
        .fact("valueBytes", VALUE_BYTES)
        .fact("mostMinutes", TimeUnit.NANOSECONDS.toMinutes(MOST_NANOS))
        .fact("laterSeeks", LATER_SEEKS)
        .contests("queue: ", Measure.TIME, byStore, byStore.rows())
        .lines(
            "Time to find the head",
            Block.Axis.linear("tenth of the steps"),
            Block.Axis.logarithmic("µs"),
            lines)
        .table(parts)
        .table(means)
        .sharedSummary(byStore.only(HEAD))
        .timeClaim(
            "the aim queue",
            "the head takes at most 30 µs, and in the last tenth at most 1.5 times the second",
            Measured.value("µs in the slowest tenth", means.get("sifr", SLOWEST))
                .atMost(MOST_MICROS)
                .and(growth));
  }

  private static Measured growth(Course course) {
    return course.isComplete
        ? Measured.ratio(
                "in the last", course.heads.get(PARTS - 1), "in the second", course.heads.get(1))
            .atMost(MOST_GROWTH)
        : Measured.fact("cut off in tenth " + course.heads.size(), false);
  }

  private static double mean(List<Double> figures) {
    return figures.stream().collect(Collectors.averagingDouble(figure -> figure));
  }

  /** The mean microseconds of each operation, by tenth, and of the head later. */
  private static final class Course {
    private final List<Double> puts = new ArrayList<>();
    private final List<Double> heads = new ArrayList<>();
    private final List<Double> deletes = new ArrayList<>();
    private boolean isComplete;
    private double first;
    private double later;
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

    Trial(Scale scale, StoreKind kind, Path directory) {
      this.kind = kind;
      this.directory = directory;
      this.steps = scale.queueSteps();
    }

    Course run() {
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
        course.first = heads(store, 1);
        course.later = heads(store, LATER_SEEKS);
        checkAll(store);
      }
      return course;
    }

    private BenchStore open() {
      return kind.open(directory, Laboratory.TERMS, (long) LENGTH * (KEY_BYTES + VALUE_BYTES));
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
