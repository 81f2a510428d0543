package io.sifr.bench.experiment;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** The disk space a store takes in addition to its data, with and without early cleaning. */
final class EarlyCleaning {
  /** Output of a compaction before it deletes inputs. */
  private static final long THRESHOLD_BYTES = 20 << 20;

  /** Allowance per compaction beyond its uncommitted output, log included. */
  private static final long BYTES_A_MERGE = 64 << 20;

  /** The cursor is opened when one in this many entries is loaded, so that it reads SSTs. */
  private static final int CURSOR_SHARE = 100;

  private static final String PEAK = "peak beyond live SSTs, MiB";
  private static final String SHARE = "bound used at most";
  private static final String LARGEST = "largest merge, MiB";

  private EarlyCleaning() {}

  static void run(Laboratory laboratory, Findings findings) {
    List<Course> courses = new ArrayList<>();
    for (boolean cursor : new boolean[] {false, true}) {
      for (boolean cleaning : new boolean[] {true, false}) {
        courses.add(load(laboratory, cleaning, cursor));
      }
    }
    Grid extra = extra(courses);
    String on = courses.get(0).name;
    String off = courses.get(1).name;
    findings
        .fact("cursorShare", CURSOR_SHARE)
        .lines(
            "Space in addition to the live SSTs, by time",
            Block.Axis.linear("seconds"),
            Block.Axis.linear("disk bytes − live SST bytes, MiB"),
            courses.stream().map(course -> course.line(SpaceSample::extraBytes)).toList())
        .lines(
            "Space on disk, by time",
            Block.Axis.linear("seconds"),
            Block.Axis.linear("disk bytes, MiB"),
            courses.stream().map(course -> course.line(SpaceSample::diskBytes)).toList())
        .claim(
            "TPDS §4.3",
            "with early cleaning the space for merges does not grow with them",
            extra.reading(on, SHARE).within(0, 1))
        .claim(
            "TPDS §4.3",
            "without it a merge takes as much space again as its output",
            extra.ratio(off, PEAK, LARGEST).atLeast(0.9))
        .summary(extra.only(on, off))
        .table(extra)
        .table(details(courses));
    courses.forEach(course -> findings.text(course.verdict()));
    if (laboratory.scale().isLittleData()) {
      findings.missing(
          "A test of the bound: at this scale a whole merge fits into it. The medium scale shows"
              + " it.");
    }
  }

  private static Course load(Laboratory laboratory, boolean cleaning, boolean withCursor) {
    String name = (cleaning ? "on" : "off") + (withCursor ? ", a cursor held open" : "");
    laboratory.tell("sifr: random load, early cleaning " + name);
    Path directory = laboratory.newDirectory("early-cleaning");
    StoreOptions options =
        StoreOptions.builder()
            .writeBufferBytes(Laboratory.WRITE_BUFFER_BYTES)
            .compaction(CompactionPolicy.splitForest(4))
            .earlyCleaning(cleaning)
            .build();
    LargestMerge largest = new LargestMerge();
    RandomLoad load = new RandomLoad(laboratory.scale().entries());
    try (Store store = Store.builder(directory).options(options).listener(largest).open()) {
      SpaceWatch watch = new SpaceWatch(store);
      try (watch) {
        if (withCursor) {
          int opened = laboratory.scale().entries() / CURSOR_SHARE;
          load.putUpTo(store, opened);
          try (Cursor cursor = load.cursorInTheMiddle(store)) {
            load.putAll(store);
            load.checkCursor(cursor, opened);
          }
        } else {
          load.putAll(store);
        }
      }
      return new Course(
          name,
          options,
          watch.samples(),
          largest.bytes.get(),
          store.statistics().get(Metric.LIVE_BYTES));
    } finally {
      DiskSpace.delete(directory);
    }
  }

  private static Grid extra(List<Course> courses) {
    Grid grid =
        new Grid(
            "early cleaning",
            List.of(
                PEAK, "merges then", "bound then, MiB", SHARE, LARGEST, "live at the end, MiB"));
    for (Course course : courses) {
      SpaceSample peak = course.peak(SpaceSample::extraBytes);
      grid.put(course.name, PEAK, Figures.inMib(peak.extraBytes()))
          .put(course.name, "merges then", peak.runningMerges())
          .put(course.name, "bound then, MiB", Figures.inMib(course.bound(peak)))
          .put(course.name, SHARE, course.largestShare())
          .put(course.name, LARGEST, Figures.inMib(course.largestMergeBytes))
          .put(course.name, "live at the end, MiB", Figures.inMib(course.liveBytes));
    }
    return grid;
  }

  private static Grid details(List<Course> courses) {
    Map<String, ToDoubleFunction<Course>> figures = new LinkedHashMap<>();
    figures.put(
        "log at that peak, MiB",
        course -> Figures.inMib(course.peak(SpaceSample::extraBytes).logBytes()));
    figures.put("largest log, MiB", course -> course.peakMib(SpaceSample::logBytes));
    figures.put("deleted but held, at most, MiB", course -> course.peakMib(SpaceSample::heldBytes));
    figures.put("peak over the data, MiB", course -> course.peakMib(SpaceSample::overDataBytes));
    figures.put(
        "beyond live SSTs at the end, MiB", course -> Figures.inMib(course.last().extraBytes()));
    figures.put("seconds", course -> course.last().seconds());
    Grid grid = new Grid("early cleaning", List.copyOf(figures.keySet()));
    for (Course course : courses) {
      figures.forEach((name, figure) -> grid.put(course.name, name, figure.applyAsDouble(course)));
    }
    return grid;
  }

  /** Bytes of the largest compaction, written and moved. */
  private static final class LargestMerge implements StoreListener {
    private final AtomicLong bytes = new AtomicLong();

    @Override
    public void compacted(CompactionEvent event) {
      bytes.accumulateAndGet(
          event.output().written().bytes() + event.output().moved().bytes(), Math::max);
    }
  }

  /** One load from its beginning to the end of the last compaction. */
  private record Course(
      String name,
      StoreOptions options,
      List<SpaceSample> samples,
      long largestMergeBytes,
      long liveBytes) {

    Block.Series line(ToLongFunction<SpaceSample> bytes) {
      return new Block.Series(
          name,
          samples.stream().map(SpaceSample::seconds).toList(),
          samples.stream().map(sample -> Figures.inMib(bytes.applyAsLong(sample))).toList());
    }

    SpaceSample peak(ToLongFunction<SpaceSample> bytes) {
      return samples.stream().max(Comparator.comparingLong(bytes)).orElseThrow();
    }

    double peakMib(ToLongFunction<SpaceSample> bytes) {
      return Figures.inMib(bytes.applyAsLong(peak(bytes)));
    }

    SpaceSample last() {
      return samples.get(samples.size() - 1);
    }

    long bound(SpaceSample sample) {
      return 2 * THRESHOLD_BYTES
          + BYTES_A_MERGE
              * Math.max(1, Math.min(options.compactionThreads(), sample.runningMerges()));
    }

    double largestShare() {
      return samples.stream()
          .mapToDouble(sample -> (double) sample.extraBytes() / bound(sample))
          .max()
          .orElseThrow();
    }

    String verdict() {
      return "Early cleaning "
          + name
          + ": the bound "
          + (largestShare() < 1 ? "holds at every sample." : "does not hold.");
    }
  }
}
