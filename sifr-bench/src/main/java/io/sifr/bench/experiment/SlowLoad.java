package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.driver.StoreRun;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Workload;
import io.sifr.event.StoreListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A random load of one form of a store on a {@link SlowDisk}, in this process.
 *
 * @param form the form
 * @param result what any load is measured by
 * @param slowBytes bytes that the slow disk was given to write, all background work included
 * @param written its progress, five times a second
 * @param compactions of this project's own stores, in the order in which they ended
 */
record SlowLoad(
    Form form,
    RunResult result,
    long slowBytes,
    List<Written> written,
    List<StoreListener.CompactionEvent> compactions) {

  /** The first part of so many is not drawn: there, one flush more is a large ratio. */
  private static final int NOT_DRAWN = 20;

  /**
   * The progress of a load at one moment.
   *
   * @param operations entries loaded
   * @param slowBytes bytes that the slow disk had been given
   */
  record Written(long operations, long slowBytes) {}

  /** Loads as many entries as the scale says. There must be no {@link SlowDisk#obstacle}. */
  static SlowLoad run(Laboratory laboratory, Form form) {
    return run(laboratory, form, laboratory.spec(form.kind(), Workload.FILLRANDOM));
  }

  /** Loads few entries, and measures nothing: for what the JVM does when code first runs. */
  static void warmUp(Laboratory laboratory, Form form, int entries) {
    run(laboratory, form, laboratory.spec(form.kind(), Workload.FILLRANDOM).withEntries(entries));
  }

  private static SlowLoad run(Laboratory laboratory, Form form, RunSpec spec) {
    long data = (long) (spec.entries() * spec.shape().averageEntryBytes());
    List<StoreListener.CompactionEvent> compactions = new ArrayList<>();
    StoreListener listener =
        new StoreListener() {
          @Override
          public void compacted(CompactionEvent event) {
            synchronized (compactions) {
              compactions.add(event);
            }
          }
        };
    try (SlowDisk disk = SlowDisk.create(laboratory, data)) {
      disk.slowDown();
      List<RunResult> results = new ArrayList<>();
      Watch watch = new Watch(disk);
      new StoreRun(
              spec.withTerms(terms -> form.terms(laboratory.scale(), disk.fast())),
              disk.directory().resolve("store"),
              watch,
              listener)
          .run(results::add);
      synchronized (compactions) {
        return new SlowLoad(
            form,
            results.get(0),
            watch.total,
            List.copyOf(watch.written),
            List.copyOf(compactions));
      }
    }
  }

  /** Bytes that the slow disk was given for each byte of the user. */
  double slowBytesPerByte() {
    return (double) slowBytes / result.userBytes();
  }

  /** Megabytes a second that it was given on average: no more than it takes. */
  double slowMegabytesPerSecond() {
    return slowBytes / 1e6 / (result.seconds() + result.drainSeconds());
  }

  /** The bytes for each byte of the user, over the MiB loaded; not of the first twentieth. */
  Block.Series slowBytesBySize() {
    double bytesAnOperation = (double) result.userBytes() / result.operations();
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (Written moment : written) {
      double user = moment.operations * bytesAnOperation;
      if (moment.operations * NOT_DRAWN >= result.operations()) {
        x.add(Figures.inMib((long) user));
        y.add(moment.slowBytes / user);
      }
    }
    return new Block.Series(form.label(), x, y);
  }

  /** The compactions of the first stage. */
  List<StoreListener.CompactionEvent> firstStage() {
    return compactions.stream().filter(event -> event.inputs().stage() == 1).toList();
  }

  /** Those of the further stages. */
  List<StoreListener.CompactionEvent> furtherStages() {
    return compactions.stream().filter(event -> event.inputs().stage() > 1).toList();
  }

  /** Looks at the disk whenever the load is looked at. */
  private static final class Watch implements StoreRun.Progress {
    private final SlowDisk disk;
    private final long before;
    private final List<Written> written = new ArrayList<>();
    private long total;

    Watch(SlowDisk disk) {
      this.disk = disk;
      this.before = disk.writtenBytes();
    }

    @Override
    public LongConsumer begin(Workload workload, long operations) {
      return done -> written.add(new Written(done, disk.writtenBytes() - before));
    }

    @Override
    public void end() {
      disk.sync();
      total = disk.writtenBytes() - before;
    }
  }
}
