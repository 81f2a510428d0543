package io.sifr.bench.experiment;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

/** The disk space a store takes in addition to its data, with and without early cleaning. */
final class EarlyCleaning implements Experiment {
  /** Output of a compaction before it deletes inputs. */
  private static final long THRESHOLD_BYTES = 20 << 20;

  /** Allowance per merge beyond its uncommitted output, log included. */
  private static final long BYTES_A_MERGE = 64 << 20;

  /** The cursor is opened when one in this many entries is loaded, so that it reads SSTs. */
  private static final int CURSOR_SHARE = 100;

  @Override
  public String name() {
    return "early-cleaning";
  }

  @Override
  public String title() {
    return "space in addition to the live data during a random load (TPDS §4.3, SoCC §4.2)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    List<Course> courses = new ArrayList<>();
    for (boolean cursor : new boolean[] {false, true}) {
      for (boolean cleaning : new boolean[] {true, false}) {
        courses.add(load(laboratory, cleaning, cursor));
      }
    }
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "with early cleaning after every ten SSTs a merge of a forest needs as little space"
                    + " as one of LevelDB takes; without it, the space of its inputs is needed"
                    + " twice.");
    findings
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
            "TPDS",
            "§4.3",
            "with early cleaning the space for merges does not grow with them",
            Measured.value(
                "peak, as a share of the constant bound", courses.get(0).largestShare(), 0, 1))
        .claim(
            "TPDS",
            "§4.3",
            "without it a merge takes as much space again as its output",
            Measured.ratio(
                "peak beyond live SSTs, MiB",
                Figures.inMib(courses.get(1).peak(SpaceSample::extraBytes).extraBytes()),
                "largest merge",
                Figures.inMib(courses.get(1).largestMergeBytes),
                0.9,
                Double.MAX_VALUE))
        .summary(extraTable(courses.subList(0, 2)))
        .add(extraTable(courses))
        .add(detailTable(courses));
    courses.forEach(course -> findings.text(course.verdict()));
    if (laboratory.scale().isLittleData()) {
      findings.missing(
          "A test of the bound: at this scale a whole merge fits into it. The medium scale shows"
              + " it.");
    }
    return findings
        .text(
            "Disk bytes are those of all files in the store's directory: SSTs, the log with the"
                + " segments kept for recycling, manifests; and of files that have been deleted"
                + " while the process had them open or mapped, as the kernel lists them. Live SST"
                + " bytes are the full sizes of the SSTs of which a forest holds any part. Both"
                + " are sampled twenty times a second, and again if a commit happened meanwhile;"
                + " a shorter peak goes unnoticed. 'Over the data' subtracts the bytes of flushes"
                + " instead, independently of what the store says is live: each key is put once, so"
                + " that nothing flushed is superfluous. It includes what early cleaning leaves"
                + " in partly merged SSTs.")
        .text(
            "The bound is 2 × threshold × split unit + 64 MiB per running merge, log included."
                + " At least one merge counts, and no more than there are merge threads:"
                + " other merges are paused until a thread returns to them. The cursor was"
                + " opened when one in "
                + CURSOR_SHARE
                + " entries was loaded, stayed on one until all merges were done, and then read to"
                + " the end, each entry checked.")
        .comparable(
            "the direction, and that the additional space is constant with early cleaning and grows"
                + " with the largest merge without.");
  }

  private static Course load(Laboratory laboratory, boolean cleaning, boolean withCursor) {
    String name = (cleaning ? "on" : "off") + (withCursor ? ", a cursor held open" : "");
    laboratory.tell("sifr: random load, early cleaning " + name);
    Path directory = laboratory.directory().resolve("sifr-bench-early-cleaning");
    StoreOptions options =
        StoreOptions.builder()
            .writeBufferBytes(RandomLoad.WRITE_BUFFER_BYTES)
            .growthFactor(4)
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

  private static Block.Table extraTable(List<Course> courses) {
    return new Block.Table(
        List.of(
            "early cleaning",
            "peak beyond live SSTs, MiB",
            "merges then",
            "bound then, MiB",
            "bound used at most",
            "largest merge, MiB",
            "live at the end, MiB"),
        courses.stream()
            .map(
                course -> {
                  SpaceSample peak = course.peak(SpaceSample::extraBytes);
                  return List.of(
                      course.name,
                      mib(peak.extraBytes()),
                      Long.toString(peak.runningMerges()),
                      mib(course.bound(peak)),
                      Numbers.number(course.largestShare()),
                      mib(course.largestMergeBytes),
                      mib(course.liveBytes));
                })
            .toList());
  }

  private static Block detailTable(List<Course> courses) {
    return new Block.Table(
        List.of(
            "early cleaning",
            "log at that peak, MiB",
            "largest log, MiB",
            "deleted but held, at most, MiB",
            "peak over the data, MiB",
            "beyond live SSTs at the end, MiB",
            "seconds"),
        courses.stream()
            .map(
                course -> {
                  SpaceSample last = course.samples.get(course.samples.size() - 1);
                  return List.of(
                      course.name,
                      mib(course.peak(SpaceSample::extraBytes).logBytes()),
                      mib(course.peak(SpaceSample::logBytes).logBytes()),
                      mib(course.peak(SpaceSample::heldBytes).heldBytes()),
                      mib(course.peak(SpaceSample::overDataBytes).overDataBytes()),
                      mib(last.extraBytes()),
                      Numbers.number(last.seconds()));
                })
            .toList());
  }

  private static String mib(long bytes) {
    return Numbers.number(Figures.inMib(bytes));
  }

  /** Bytes of the largest merge, written and moved. */
  private static final class LargestMerge implements StoreListener {
    private final AtomicLong bytes = new AtomicLong();

    @Override
    public void compacted(CompactionEvent event) {
      bytes.accumulateAndGet(
          event.output().written().bytes() + event.output().moved().bytes(), Math::max);
    }
  }

  /** One load from its beginning to the end of the last merge. */
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

    long bound(SpaceSample sample) {
      return 2 * THRESHOLD_BYTES
          + BYTES_A_MERGE * Math.max(1, Math.min(options.mergeThreads(), sample.runningMerges()));
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
