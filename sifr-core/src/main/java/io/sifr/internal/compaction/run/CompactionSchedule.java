package io.sifr.internal.compaction.run;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.background.Retries;
import io.sifr.internal.background.WorkMonitor;
import io.sifr.internal.background.WorkMonitor.Attempts;
import io.sifr.internal.background.WorkParts;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.resources.CompactionThreads;
import io.sifr.internal.resources.CompactionThreads.Turn;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.value.ValueFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs compactions, the most urgent first. Threads without a compaction of their own take parts of
 * a running one. A thread yields to a much smaller compaction that becomes due, here or in another
 * store, when no thread is free, so that a compaction that takes minutes does not delay those that
 * writers wait for.
 *
 * <p>A compaction that failed is retried while others go on; a full disk stops all of them. A
 * damaged or unreadable input stops only the compactions of its trees.
 */
public final class CompactionSchedule implements CompactionThreads.Source {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionSchedule.class);
  private static final long UNREADABLE_PAUSE_MILLIS = TimeUnit.MINUTES.toMillis(10);
  private static final String COMPACTION = "compaction";

  /** SSTs that a compaction has to write before it can delete some of its inputs, and to spare. */
  private static final int SSTS_UNDER_WAY = 4;

  /** The most time between two looks for compactions that are due because time has passed. */
  private static final long MOST_LOOK_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private static final long LEAST_LOOK_MILLIS = 100;

  private static final long NEVER = Long.MAX_VALUE;

  private final WorkParts store;
  private final WorkMonitor monitor;
  private final CompactionThreads threads;
  private final Retries retries;
  private final Pace pace;

  // All below guarded by the monitor.

  private final CompactionQueue queue;

  /** For each thread that compacts for this store, other than callers', what it runs. */
  private final List<CompactionRun> compactors = new ArrayList<>();

  /** The time of the next call of {@link #wake} because time has passed, by {@link #millis}. */
  private long nextLook = NEVER;

  /**
   * Failures because of a full disk, which pause all compactions. A flush that failed so does not
   * pause them: they free space.
   */
  private final Attempts onFullDisk = new Attempts();

  // Both written under the monitor, read without.

  /**
   * Bytes of the smallest that is due and has no thread; one that works on a larger may lend its
   * turn.
   */
  private volatile long smallestWaiting = Long.MAX_VALUE;

  /** True if there is work for one more thread. */
  private volatile boolean waiting;

  public CompactionSchedule(WorkParts store, CompactionQueue queue, Retries retries, Pace pace) {
    this.store = store;
    this.monitor = store.monitor();
    this.threads = store.threads().compactions();
    this.queue = queue;
    this.retries = retries;
    this.pace = pace;
  }

  /** Has threads begin what is due. The caller must not hold the monitor. */
  public void wake() {
    long now = millis();
    long look;
    store.state().log().space().measure(); // compactions have begun or ended
    synchronized (monitor) {
      findWaiting(due());
      monitor.changed();
      look = canCompact() ? nextLook(now) : NEVER;
    }
    threads.changed(this);
    if (look != NEVER) {
      retries.later(() -> lookIsDue(look), this::wake, look - now);
    }
  }

  private static long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /**
   * When to look again because time has passed; {@link #NEVER}: no need, or somebody will. Guarded
   * by the monitor.
   */
  private long nextLook(long now) {
    long left = queue.untilLook();
    if (left == NEVER) {
      return NEVER;
    }
    long look = now + Math.max(LEAST_LOOK_MILLIS, Math.min(MOST_LOOK_MILLIS, left));
    if (look >= nextLook) {
      return NEVER;
    }
    nextLook = look;
    return look;
  }

  /** The time of a look has come, which may be later than one that was requested after it. */
  private void lookIsDue(long look) {
    if (nextLook == look) {
      nextLook = NEVER;
    }
  }

  // Guarded by the monitor.
  private boolean canCompact() {
    return !pace.isPaused() && !onFullDisk.isPausing() && monitor.goesOn();
  }

  /** What may begin now. Guarded by the monitor. */
  private List<CompactionRun.Due> due() {
    return canCompact() ? queue.due() : List.of();
  }

  /** Finds out what waits for a thread. Guarded by the monitor. */
  private void findWaiting(List<CompactionRun.Due> due) {
    smallestWaiting =
        canCompact() && mayLend()
            ? due.stream()
                .filter(next -> !next.priority().beginsAlone())
                .mapToLong(CompactionRun.Due::inputBytes)
                .min()
                .orElse(Long.MAX_VALUE)
            : Long.MAX_VALUE;
    waiting = canCompact() && hasThread() && (!due.isEmpty() || queue.withWaitingPart() != null);
  }

  /** Guarded by the monitor. */
  private boolean hasThread() {
    return compactors.stream().filter(run -> run.priority().takesPlace()).count() < mostThreads();
  }

  /**
   * Whether a thread may lend its turn to a smaller compaction, which then takes its place: not one
   * more, so that all threads may be busy. Guarded by the monitor.
   */
  private boolean mayLend() {
    return mostThreads() == threads.most();
  }

  @Override
  public long smallestWaiting() {
    return smallestWaiting;
  }

  @Override
  public boolean isWaiting() {
    return waiting;
  }

  @Override
  public @Nullable Consumer<Turn> take(long mostBytes) {
    synchronized (monitor) {
      List<CompactionRun.Due> due = due();
      boolean isLent = mostBytes < Long.MAX_VALUE;
      Consumer<Turn> taken = (isLent ? mayLend() : hasThread()) ? take(due, mostBytes) : null;
      findWaiting(queue.withoutActive(due));
      return taken;
    }
  }

  /** Guarded by the monitor. */
  private @Nullable Consumer<Turn> take(List<CompactionRun.Due> due, long mostBytes) {
    boolean isAlone = mostBytes < Long.MAX_VALUE;
    List<CompactionRun.Due> some =
        due.stream()
            .filter(next -> next.inputBytes() <= mostBytes)
            .filter(next -> !(isAlone && next.priority().beginsAlone()))
            .toList();
    CompactionRun.Due next = CompactionQueue.mostUrgent(some, isSpaceTight()).orElse(null);
    CompactionRun begun = next == null && !isAlone ? queue.withWaitingPart() : null;
    if (next != null) {
      next.pay();
      CompactionRun run = begin(next);
      int helpers = isAlone || !next.priority().isOnAllThreads() ? 1 : mostThreads();
      return onOwnThread(run, turn -> first(run, helpers, turn));
    } else if (begun != null && canCompact()) {
      begun.join();
      return onOwnThread(begun, turn -> work(begun, turn));
    }
    return null;
  }

  /** Registers a run of a compaction. The caller holds the monitor. */
  CompactionRun begin(CompactionRun.Due due) {
    if (due.priority().isAwaited() && monitor.isStopped()) {
      throw Lifecycle.closedException();
    }
    CompactionRun run = new CompactionRun(store, queue::activeRuns, due);
    queue.began(run);
    return run;
  }

  /**
   * How many threads may compact: one after a full disk was met, or when space is tight, since each
   * has an SST under way, and none is finished if there is space for one only. Guarded by the
   * monitor.
   */
  private int mostThreads() {
    return onFullDisk.hasFailed() || isSpaceTight() ? 1 : threads.most();
  }

  /** Guarded by the monitor; what is returned is not. */
  private Consumer<Turn> onOwnThread(CompactionRun run, Consumer<Turn> task) {
    compactors.add(run);
    return turn -> {
      try {
        task.accept(turn);
      } finally {
        synchronized (monitor) {
          compactors.remove(run);
        }
        wake();
      }
    };
  }

  /** Prepares a run, wakes threads to join it, and works on it. */
  private void first(CompactionRun run, int helpers, Turn turn) {
    run.prepare(helpers);
    if (run.hasWaitingPart()) {
      wake();
    }
    work(run, turn);
  }

  /**
   * Works on a run.
   *
   * @param turn null on a thread that waits for the run
   */
  private void work(CompactionRun run, @Nullable Turn turn) {
    Pace.OfThread own = pace.of(run, turn);
    boolean isOver;
    store.state().counters().reads.workBegins();
    try {
      isOver =
          run.work(
              () -> store.tasks().of(run.database(), run.plan().targetStage(), own.progress()));
    } finally {
      store.state().counters().reads.workEnds();
    }
    if (isOver && !run.isAwaited()) {
      end(run);
    }
  }

  private void end(CompactionRun run) {
    try {
      run.end();
      succeeded(run);
    } catch (StoreFullException e) {
      if (!makeSpace(run.inputBytes())) { // else it is tried again at once
        retries.failed(COMPACTION, onFullDisk, e, this::wake);
      }
    } catch (CorruptionException e) {
      if (!leave(run, e.file(), e)) {
        park(run, e);
      }
    } catch (UnreadableException e) {
      if (!leave(run, e.file(), e)) {
        park(run, e);
        retries.later(() -> queue.readable(run), this::wake, UNREADABLE_PAUSE_MILLIS);
      }
    } catch (StoreIoException e) {
      retries.failed(COMPACTION, attempts(run), e, this::wake);
    } catch (CancellationException e) {
      LOG.debug("compaction stopped: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      retries.stopWrites(COMPACTION, e);
    } finally {
      ended(run);
    }
  }

  /**
   * Deletes log because a compaction has met a full disk, and what only reads in progress have kept
   * of other compactions' inputs.
   *
   * @param inputBytes bytes of its inputs
   * @return whether there was log to delete
   */
  boolean makeSpace(long inputBytes) {
    store.obsoleteFiles().reclaimForSpace();
    long bytes =
        store.setup().options().earlyCleaning()
            ? SSTS_UNDER_WAY * store.tasks().sizes().targetBytes()
            : inputBytes;
    return store.state().log().released().makeSpace(bytes);
  }

  /** Whether the disk has too little space for several compactions side by side. */
  boolean isSpaceTight() {
    return store.state().log().space().isTight();
  }

  private Attempts attempts(CompactionRun run) {
    synchronized (monitor) {
      return queue.attempts(run);
    }
  }

  private void succeeded(CompactionRun run) {
    int failed;
    synchronized (monitor) {
      onFullDisk.succeeded();
      failed = queue.succeeded(run);
    }
    Retries.succeeded(COMPACTION, failed);
    if (store.setup().options().fastIsVolatile()) {
      store.state().log().released().giveBackDue();
    }
  }

  /**
   * Whether a value could not be copied out of a value file. Then the file is no longer emptied,
   * and all else goes on: no compaction but that one needs the value.
   */
  private boolean leave(CompactionRun run, Path file, SifrException e) {
    ValueFiles values = store.tasks().values();
    Optional<Long> emptied =
        FileKind.VALUES
            .numberOf(file.getFileName().toString())
            .filter(run.plan().emptied()::contains)
            .filter(number -> values.recordBytes(number) > 0);
    if (emptied.isPresent()) {
      LOG.error("value file {} of {} is no longer emptied", file, run.database(), e);
      values.leave(emptied.get());
      retries.tell(COMPACTION, e);
    }
    return emptied.isPresent();
  }

  /** Stops compactions of trees one of which cannot be read. */
  private void park(CompactionRun run, SifrException e) {
    CompactionPlan plan = run.plan();
    LOG.error("trees {} of {} are no longer compacted", plan.inputs(), run.database(), e);
    synchronized (monitor) {
      queue.damaged(run);
    }
    retries.tell(COMPACTION, e);
  }

  /**
   * Runs a prepared compaction on this thread, helped by those that are free, and throws what stops
   * it.
   */
  void finish(CompactionRun run) {
    try {
      wake();
      work(run, null);
      monitor.awaitInAnyCase(run::isOver);
      run.end();
      succeeded(run);
    } finally {
      ended(run);
    }
  }

  private void ended(CompactionRun run) {
    synchronized (monitor) {
      queue.ended(run);
      monitor.changed();
    }
  }

  /**
   * Tries again at once what has failed, instead of after a pause. What runs already does not
   * count, and is waited for: there may be space since it failed.
   */
  public void tryNow() {
    List<CompactionRun> running = queue.active();
    monitor.awaitInAnyCase(
        () ->
            pace.isPaused()
                || monitor.isStopped()
                || running.stream().noneMatch(queue.active()::contains));
    synchronized (monitor) {
      onFullDisk.next();
      queue.tryNow();
    }
    wake();
  }

  /** Pauses running compactions, and begins none, until {@link #resume}. */
  public void pause() {
    synchronized (monitor) {
      pace.setPaused(true);
    }
  }

  /** Whether compactions are paused. */
  public boolean isPaused() {
    return pace.isPaused();
  }

  /** Resumes compactions. */
  public void resume() {
    synchronized (monitor) {
      pace.setPaused(false);
    }
    wake();
  }

  /** Whether no thread compacts for this store. The caller holds the monitor. */
  public boolean hasNoThread() {
    return compactors.isEmpty();
  }

  /**
   * Whether nothing is due and nothing runs, or compactions are paused. The caller holds the
   * monitor.
   *
   * @throws StoreIoException the failure of a compaction, if it should be reported to waiting
   *     threads
   */
  public boolean isIdle() {
    return pace.isPaused() || (compactors.isEmpty() && queue.isIdle() && !isDue());
  }

  private boolean isDue() {
    if (queue.awaitsAttempt()) {
      return true;
    }
    boolean isDue = !queue.due().isEmpty();
    if (isDue) {
      onFullDisk.check();
    }
    return isDue;
  }
}
