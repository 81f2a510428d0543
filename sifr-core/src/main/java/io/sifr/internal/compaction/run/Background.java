package io.sifr.internal.compaction.run;

import io.sifr.config.StoreOptions;
import io.sifr.internal.background.BackgroundCheck;
import io.sifr.internal.background.BackgroundThreads;
import io.sifr.internal.background.Commits;
import io.sifr.internal.background.FlushRun;
import io.sifr.internal.background.FlushSchedule;
import io.sifr.internal.background.IngestCommit;
import io.sifr.internal.background.ObsoleteFiles;
import io.sifr.internal.background.Retries;
import io.sifr.internal.background.UnusableSsts;
import io.sifr.internal.background.WorkMonitor;
import io.sifr.internal.background.WorkParts;
import io.sifr.internal.background.WorkParts.TaskEnvironments;
import io.sifr.internal.compaction.merge.TaskEnvironment;
import io.sifr.internal.compaction.pick.Picture.Upkeep;
import io.sifr.internal.compaction.run.CompactionQueue.QuietTime;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.SstScrub;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Flushes;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.StoreState.SstParts;
import io.sifr.internal.util.Scrub;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.value.ValueScrub;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The background work of a store, wired: when flushes ({@link FlushSchedule}) and compactions
 * ({@link CompactionSchedule}) run. One flush runs at a time; {@link
 * StoreOptions#compactionThreads} threads compact.
 *
 * <p>Files are checked in small steps beside the flushes, again and again ({@link
 * BackgroundCheck}).
 *
 * <p>Work that fails before anything of it is committed is retried after a pause ({@link Retries}).
 *
 * <p>Thread-safe.
 */
public final class Background implements Flushes, AutoCloseable {
  private static final int UNKNOWN_KEY = -1;

  private final WorkMonitor monitor;
  private final BackgroundThreads threads;
  private final CompactionQueue queue;
  private final Setup setup;
  private final CompactionSchedule compactions;
  private final FlushSchedule flushes;
  private final RequestedCompaction requested;
  private final BackgroundCheck check;
  private final TaskEnvironments tasks;
  private final IngestCommit ingests;
  private final ObsoleteFiles obsoleteFiles;

  /**
   * Begins nothing before {@link #wake}.
   *
   * @param threads on which the work runs; closed with this
   */
  public Background(
      Setup setup,
      SstParts ssts,
      StoreState state,
      ObsoleteFiles obsoleteFiles,
      BackgroundThreads threads) {
    this.setup = setup;
    this.monitor = new WorkMonitor(state.failure());
    this.threads = threads;
    this.obsoleteFiles = obsoleteFiles;
    this.queue =
        new CompactionQueue(
            setup.extensions().policy(),
            state.databases()::all,
            state.writes().snapshots(),
            new QuietTime(state.writes()::visible, System::nanoTime),
            setup::now,
            needsUpkeep(setup) ? () -> upkeep(setup, state) : null,
            this::wakeLater);
    this.tasks = new TaskEnvironments(setup, ssts, state);
    Commits commits = new Commits(setup, ssts, state);
    this.ingests = new IngestCommit(setup, ssts, state, commits);
    WorkParts parts = new WorkParts(setup, state, monitor, threads, tasks, commits, obsoleteFiles);
    Retries retries = new Retries(parts);
    this.compactions = new CompactionSchedule(parts, queue, retries, new Pace(parts, queue));
    this.flushes =
        new FlushSchedule(parts, new FlushRun(parts), compactions::wake, obsoleteFiles, retries);
    this.requested = new RequestedCompaction(parts, queue, compactions);
    UnusableSsts unusable = new UnusableSsts(setup.listener(), state.catalog(), threads);
    ssts.access().faults().tell(unusable::found);
    this.check =
        new BackgroundCheck(
            setup.options().checkBytesPerSecond(),
            BackgroundCheck.ROUND_MILLIS,
            threads,
            obsoleteFiles,
            () -> scrubs(state.catalog().catalog(), ssts.access().values(), unusable));
    // On a thread of the background: a cursor that is closed waits for nothing.
    state.writes().snapshots().whenReleased(this::wakeLater);
  }

  private static boolean needsUpkeep(Setup setup) {
    return setup.options().fastIsVolatile() || setup.fileSystem().keys().areUsed();
  }

  /** As much log may be retained for SSTs that may be lost as these may have bytes, twice. */
  private static Upkeep upkeep(Setup setup, StoreState state) {
    StoreOptions options = setup.options();
    return new Upkeep(
        options.fastIsVolatile() ? state.log().homeBefore(2 * options.fastBytes()) : 0,
        setup.fileSystem().keys().currentOr(UNKNOWN_KEY));
  }

  /** The checks of all files that a catalog needs. */
  private static List<Scrub> scrubs(Catalog catalog, ValueFiles values, UnusableSsts unusable) {
    List<Scrub> all = new ArrayList<>();
    Set<Long> valueFiles = new TreeSet<>();
    for (Forest forest : catalog.forests()) {
      for (Sst sst : forest.ssts()) {
        all.add(new SstScrub(sst, true));
        sst.meta().values().forEach(use -> valueFiles.add(use.file()));
      }
    }
    valueFiles.forEach(number -> all.add(new ValueScrub(values, number, unusable::foundValue)));
    return all;
  }

  private void wakeLater() {
    threads.executeLater(compactions::wake, 0);
  }

  /** Begins to check the SSTs, those with which the store was opened first. */
  public void check(List<Sst> found) {
    check.begin(found);
  }

  /** SSTs that are still to be checked. */
  public int uncheckedSsts() {
    return check.left();
  }

  @Override
  public void begin() {
    flushes.begin();
  }

  /** Begins flushes and compactions that are due. The caller holds no lock. */
  public void wake() {
    flushes.wake();
    compactions.wake();
  }

  @Override
  public void reclaimForSpace() {
    obsoleteFiles.reclaimForSpace();
  }

  /** Throws the failure that keeps flushes from running, if there is one. */
  @Override
  public void checkCanFlush() {
    monitor.checkCanFlush();
  }

  /** Waits until all write buffers that are immutable now are flushed. */
  @Override
  public void awaitFlushed(DatabaseHandle database) {
    flushes.awaitFlushed(database);
  }

  @Override
  public void tryNow() {
    flushes.tryNow();
  }

  @Override
  public boolean lackSpace() {
    return monitor.flushes().lackedSpace();
  }

  /**
   * Waits until nothing is due and nothing runs; paused compactions count as neither. What has
   * failed is tried at once.
   */
  public void awaitIdle() {
    flushes.tryNow();
    compactions.tryNow();
    monitor.await(() -> flushes.isIdle() && compactions.isIdle());
  }

  @Override
  public void compactTombstones(DatabaseHandle database, long mostBytes) {
    if (!compactions.isPaused()) {
      requested.ofTombstones(database, mostBytes);
    }
  }

  /**
   * Work of a caller on SSTs of the store begins, which {@link #close} waits for; it ends with the
   * result's {@code close}.
   *
   * @throws IllegalStateException when the store is closing
   */
  public CallersWork enter() {
    monitor.enter();
    return monitor::leave;
  }

  /** Work of a caller; closed by it, once. */
  public interface CallersWork extends AutoCloseable {
    @Override
    void close();
  }

  /** The environment of a caller's task that makes SSTs for a stage of a database. */
  public TaskEnvironment environment(DatabaseHandle database, int stage) {
    return tasks.of(database, stage, TaskEnvironment.Progress.UNWATCHED);
  }

  /**
   * Adds SSTs to databases, all or none of them, see {@link IngestCommit#commit}. Within {@link
   * #enter}.
   *
   * @return the largest sequence number that they use
   */
  public long ingest(Map<DatabaseHandle, List<SstMeta>> ssts, long sequence) {
    long last = ingests.commit(ssts, sequence);
    compactions.wake();
    return last;
  }

  /** Compacts all trees of a database into one, and waits for it. */
  public void compact(DatabaseHandle database) {
    requested.ofAll(database);
  }

  /** Compacts what all trees of a database hold in a key range, and waits for it. */
  public void compact(DatabaseHandle database, KeySpan span) {
    requested.of(database, span);
  }

  /** Pauses compactions and the check, and begins none, until {@link #resume}. */
  public void pause() {
    compactions.pause();
    check.pause();
  }

  /** Resumes compactions and the check. */
  public void resume() {
    compactions.resume();
    check.resume();
  }

  /**
   * How many bytes of SSTs a compaction may write at this moment before it commits; 0 when it
   * commits after each SST, or only at its end.
   */
  public long cleaningThresholdBytes() {
    return setup.options().earlyCleaning()
        ? CompactionJournal.OfStore.cleaningThresholdBytes(setup, queue.activeRuns())
        : 0;
  }

  /** Number of compactions that run at this moment. */
  public int runningCompactions() {
    return queue.activeRuns();
  }

  /**
   * Starts nothing new and waits for what runs, on callers' threads too; compactions stop at their
   * next yield point if the store is closing.
   */
  @Override
  public void close() {
    threads.stop();
    check.stop();
    monitor.stop();
    compactions.wake(); // takes its turn from the threads
    monitor.awaitInAnyCase(
        () -> !queue.isUsedByCallers() && !monitor.isEntered() && compactions.hasNoThread());
    threads.close();
  }
}
