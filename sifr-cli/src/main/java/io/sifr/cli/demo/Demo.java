package io.sifr.cli.demo;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.cli.report.StatisticsReport;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ProgressBar;
import io.sifr.cli.terminal.Units;
import io.sifr.config.StoreOptions;
import io.sifr.inspect.check.CheckReport;
import io.sifr.inspect.check.StoreCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * The demonstration: loads a store, reads and scans it, deletes from it, kills a process that
 * writes to it, opens it again, and checks it. Every answer is verified. Not thread-safe; run it
 * once.
 */
public final class Demo {
  private static final long MOST_ACKNOWLEDGED = 200_000;
  private static final int ACKNOWLEDGED_SHARE = 5;
  private static final long SAMPLE_READS = 100_000;

  private final Console console;
  private final Cleanup cleanup;
  private final Path directory;
  private final StoreOptions options;
  private final Workload workload;
  private final long entries;
  private final DemoPhases phases;

  /**
   * @param directory where the store is created
   * @param workload a workload without equal keys
   * @param entries number of entries to load
   */
  public Demo(
      Console console,
      Cleanup cleanup,
      Path directory,
      StoreOptions options,
      Workload workload,
      long entries) {
    this.console = console;
    this.cleanup = cleanup;
    this.directory = directory;
    this.options = options;
    this.workload = workload;
    this.entries = entries;
    this.phases = new DemoPhases(console, workload, entries);
  }

  /**
   * Runs it.
   *
   * @param writerCommand command line of a process that writes to the store, beginning with the
   *     entry of the number it is given, and acknowledges each on its standard output
   * @throws VerificationException when an answer of the store is wrong
   */
  public DemoReport run(LongFunction<List<String>> writerCommand) throws IOException {
    Measurements measurements = withStore(this::measure);
    long enough = Math.max(1, Math.min(entries / ACKNOWLEDGED_SHARE, MOST_ACKNOWLEDGED));
    long acknowledged =
        new WriterProcess(console, cleanup, writerCommand.apply(entries))
            .runAndKill(entries, enough);
    long begin = System.nanoTime();
    Crash crash =
        withStore(store -> verifyAfterCrash(store, acknowledged, System.nanoTime() - begin));
    return new DemoReport(workload.name(), entries, measurements, crash, check());
  }

  private <T> T withStore(Function<Store, T> use) {
    Store store = Store.open(directory, options);
    Runnable closing = store::close;
    cleanup.add(closing);
    try (store) {
      return use.apply(store);
    } finally {
      cleanup.remove(closing);
    }
  }

  private Measurements measure(Store store) {
    Database database = store.database();
    List<PhaseResult> results = new ArrayList<>();
    SpacePeak peak = new SpacePeak(store);
    results.add(phases.load(store, peak));
    long loaded = System.nanoTime();
    store.flush();
    peak.look();
    store.awaitIdle();
    peak.look();
    long drained = System.nanoTime();
    StatisticsReport afterLoad = new StatisticsReport(store.statistics(), database.forest());

    results.add(phases.readHits(database));
    results.add(phases.readMisses(database));
    results.add(phases.scan(database));
    results.add(phases.delete(database));
    results.add(phases.readDeleted(database));
    results.add(phases.scanAll(database));
    return new Measurements(results, drained - loaded, peak.bytes(), afterLoad);
  }

  private Crash verifyAfterCrash(Store store, long acknowledged, long openNanos) {
    Database database = store.database();
    phases.verifyPresent(database, entries, acknowledged);
    phases.verifySample(database, SAMPLE_READS);
    long unacknowledged = 0;
    while (database.contains(workload.key(entries + acknowledged + unacknowledged))) {
      unacknowledged++;
    }
    store.awaitIdle();
    return new Crash(
        acknowledged,
        unacknowledged,
        openNanos,
        new StatisticsReport(store.statistics(), database.forest()));
  }

  private CheckReport check() {
    CheckReport report;
    try (ProgressBar bar = ProgressBar.ofBytes(console, "check", ProgressBar.UNKNOWN)) {
      report = StoreCheck.run(directory, bar::update);
    }
    if (!report.isClean()) {
      throw new VerificationException(
          "the check found "
              + Units.count(report.findings().size(), "fault")
              + ", the first in "
              + report.findings().get(0));
    }
    return report;
  }
}
