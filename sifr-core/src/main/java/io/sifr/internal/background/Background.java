package io.sifr.internal.background;

import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.error.UnreadableException;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.compaction.SplitForestPolicy;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Flushes;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.SstParts;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.view.WriteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when flushes and merges run, and on which thread. One thread flushes, so that the trees
 * of a database come into stage 1 in the order of its write buffers (I1); {@link
 * StoreOptions#mergeThreads} threads merge, the fullest stage first. Threads that have no merge of
 * their own take parts of one that runs; a thread at work at a merge does one of a lower stage in
 * between when that becomes due and no other thread is free, so that a merge that takes minutes
 * does not keep up those that writers wait for.
 *
 * <p>What fails before anything of it is committed is tried again after a pause (see {@link
 * Attempts}): flushes all together, since one thread does them; merges by their stage, so that
 * others go on. A damaged or unreadable input stops the merges of its stage and nothing else. Any
 * other failure, those of the manifest above all, stops the writes (I7).
 */
public final class Background implements Flushes, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Background.class);

  /**
   * System property by which pauses before another attempt are divided: the searches that let every
   * call to the disk fail would do little but wait. For tests.
   */
  private static final String PAUSES_DIVIDED_PROPERTY = "io.sifr.pausesDivided";

  private static final int PAUSES_DIVIDED = Integer.getInteger(PAUSES_DIVIDED_PROPERTY, 1);
  private static final long UNREADABLE_PAUSE_MILLIS = TimeUnit.MINUTES.toMillis(10);
  private static final String FLUSH = "flush";
  private static final String MERGE = "merge";
  private static final int NONE = Integer.MAX_VALUE;

  private final Setup setup;
  private final StoreState state;
  private final BackgroundThreads threads;
  private final Reclaiming reclaiming;
  private final CleaningThreshold cleaning;
  private final FlushRun flushRun;
  private final MergeWork work;

  // All below guarded by this; it is notified whenever one of them, or a view, changes.

  private final MergeQueue queue;

  /** Threads that merge. */
  private int mergers;

  private volatile boolean paused;
  private boolean flushing;
  private boolean stopped;

  private final Attempts flushes = new Attempts();

  /**
   * Of merges that a full disk stops, all of them. A flush it stops does not: merges free space.
   */
  private final Attempts mergesOnFullDisk = new Attempts();

  /** The lowest stage with a merge that is due and has no thread; written when it is guarded. */
  private volatile int urgentStage = NONE;

  /**
   * Nothing is begun before it is woken.
   *
   * @param threads on which the works run; they end when this is closed
   */
  public Background(
      Setup setup,
      SstParts ssts,
      StoreState state,
      Reclaiming reclaiming,
      BackgroundThreads threads) {
    this.setup = setup;
    this.state = state;
    this.threads = threads;
    this.reclaiming = reclaiming;
    StoreOptions options = setup.options();
    this.queue =
        new MergeQueue(
            new SplitForestPolicy(options.growthFactor(), options.mergeTrigger()),
            state.databases()::all);
    this.cleaning = new CleaningThreshold(setup, queue::activeRuns);
    TaskEnvironments tasks = new TaskEnvironments(setup, ssts, state.catalog());
    Commits commits = new Commits(setup, ssts, state, reclaiming);
    this.flushRun = new FlushRun(setup, state, tasks, commits);
    this.work = new MergeWork(setup, state, tasks, commits, reclaiming, cleaning);
  }

  /** Looks for write buffers to flush and trees to merge. */
  @Override
  public void wake() {
    synchronized (this) {
      if (stopped || state.failure().isNoted()) {
        notifyAll();
        return;
      }
      startFlush();
      startMerges();
      notifyAll();
    }
  }

  // Guarded by this.
  private void startFlush() {
    if (!flushing && !flushes.isPausing() && nextToFlush().isPresent()) {
      flushing = true;
      threads.execute(this::flushAll);
    }
  }

  private Optional<DatabaseHandle> nextToFlush() {
    return state.databases().all().stream()
        .filter(database -> !database.isDropped())
        .filter(database -> !database.view().get().immutables().isEmpty())
        .findFirst();
  }

  private void flushAll() {
    try {
      for (Optional<DatabaseHandle> next = nextToFlush();
          next.isPresent() && !state.failure().isNoted();
          next = nextToFlush()) {
        flushRun.flush(next.get());
        flushed();
        state.writes().goOn();
        wakeMerges();
      }
      reclaiming.reclaim();
    } catch (StoreIoException e) {
      if (isPassing(e)) {
        tryAgainLater(FLUSH, flushes, e);
      } else {
        fail(FLUSH, e);
      }
    } catch (CancellationException e) {
      LOG.debug("flush stopped: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      fail(FLUSH, e);
    } finally {
      synchronized (this) {
        flushing = false;
      }
      state.writes().goOn();
      wake();
    }
  }

  private void flushed() {
    int failed;
    synchronized (this) {
      failed = flushes.succeeded();
    }
    tellThatItGoesOn(FLUSH, failed);
  }

  private synchronized void wakeMerges() {
    startMerges();
    notifyAll();
  }

  // Guarded by this.
  private void startMerges() {
    while (canMerge() && mergers < threads.mergers()) {
      MergeJob job = queue.next(NONE);
      MergeRun waiting = job == null ? queue.withWaitingPart() : null;
      if (job != null) {
        MergeRun run = begin(job);
        mergers++;
        threads.merge(() -> onOwnThread(() -> first(run, threads.mergers())));
      } else if (waiting != null) {
        waiting.join();
        mergers++;
        threads.merge(() -> onOwnThread(() -> work(waiting)));
      } else {
        break;
      }
    }
    urgentStage = canMerge() && mergers == threads.mergers() ? queue.lowestDue() : NONE;
  }

  // Guarded by this.
  private boolean canMerge() {
    return !stopped && !paused && !mergesOnFullDisk.isPausing() && !state.failure().isNoted();
  }

  // Guarded by this.
  private MergeRun begin(MergeJob job) {
    MergeRun run = new MergeRun(work, job, false);
    queue.began(run);
    return run;
  }

  private void onOwnThread(Runnable merging) {
    try {
      merging.run();
    } finally {
      synchronized (this) {
        mergers--;
      }
      wake();
    }
  }

  /** Prepares a run, has others join in, and works at it. */
  private void first(MergeRun run, int helpers) {
    run.prepare(helpers);
    wakeMerges();
    work(run);
  }

  private void work(MergeRun run) {
    GivingWay way = new GivingWay(System::nanoTime);
    boolean isOver = run.work(work.environment(run.job(), () -> breathe(run, way)));
    if (isOver && !run.isAwaited()) {
      end(run);
    }
  }

  private void end(MergeRun run) {
    try {
      run.end();
      merged(run);
    } catch (StoreFullException e) {
      tryAgainLater(MERGE, mergesOnFullDisk, e);
    } catch (CorruptionException e) {
      park(run, e);
    } catch (UnreadableException e) {
      park(run, e);
      later(() -> queue.readable(run), UNREADABLE_PAUSE_MILLIS);
    } catch (StoreIoException e) {
      if (isPassing(e)) {
        tryAgainLater(MERGE, attempts(run), e);
      } else {
        fail(MERGE, e);
      }
    } catch (CancellationException e) {
      LOG.debug("merge stopped: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      fail(MERGE, e);
    } finally {
      synchronized (this) {
        queue.ended(run);
        notifyAll();
      }
    }
  }

  private synchronized Attempts attempts(MergeRun run) {
    return queue.attempts(run);
  }

  private void merged(MergeRun run) {
    int failed;
    synchronized (this) {
      mergesOnFullDisk.succeeded();
      failed = queue.succeeded(run);
    }
    tellThatItGoesOn(MERGE, failed);
  }

  /** Begins no more merges of the stage of a run, one of whose inputs cannot be read. */
  private void park(MergeRun run, SifrException e) {
    CompactionPlan plan = run.plan();
    LOG.error("stage {} of {} is merged no more", plan.sourceStage(), plan.database(), e);
    synchronized (this) {
      queue.damaged(run);
    }
    setup.listener().failed(new StoreListener.FailureEvent(MERGE, e));
  }

  /** Called by a task of a run about once a millisecond: what is more urgent goes first. */
  private void breathe(MergeRun run, GivingWay way) {
    run.checkGoesOn();
    if (urgentStage < run.plan().sourceStage() && way.isFree()) {
      MergeRun urgent = beginBelow(run.plan().sourceStage());
      if (urgent != null) {
        way.give(() -> first(urgent, 1));
      }
    }
    if (paused) {
      awaitResumed(run);
    }
  }

  private synchronized @Nullable MergeRun beginBelow(int stage) {
    MergeJob job = canMerge() ? queue.next(stage) : null;
    MergeRun run = job == null ? null : begin(job);
    startMerges();
    return run;
  }

  private synchronized void awaitResumed(MergeRun run) {
    awaitInAnyCase(() -> !paused || stopped || run.database().isDropped());
  }

  /** Lets merges rest where they are, and begins none, until {@link #resume}. */
  public synchronized void pause() {
    paused = true;
  }

  /** Lets merges go on. */
  public void resume() {
    synchronized (this) {
      paused = false;
      notifyAll();
    }
    wake();
  }

  /**
   * How many SSTs a merge may write at this moment before it commits; 0 when it commits at its end
   * alone.
   */
  public int cleaningThreshold() {
    return cleaning.isEnabled() ? cleaning.current() : 0;
  }

  /** Merges that run at this moment. */
  public int runningMerges() {
    return queue.activeRuns();
  }

  /**
   * Whether nothing of the work was committed that failed so. A failure of the manifest, or of the
   * directory's sync, is noted where it happens.
   */
  private boolean isPassing(StoreIoException e) {
    return e instanceof StoreFullException || !state.failure().isNoted();
  }

  private void tryAgainLater(String what, Attempts attempts, StoreIoException e) {
    boolean isNews;
    synchronized (this) {
      isNews = attempts.isNews(e);
    }
    if (isNews) {
      LOG.warn("a {} failed and is tried again: {}", what, e.getMessage());
      setup.listener().failed(new StoreListener.FailureEvent(what, e));
    } else {
      LOG.debug("a {} failed again: {}", what, e.getMessage());
    }
    long pauseMillis;
    synchronized (this) {
      pauseMillis = attempts.failed(e);
    }
    later(attempts::next, pauseMillis / PAUSES_DIVIDED);
  }

  private static void tellThatItGoesOn(String what, int failed) {
    if (failed > 0) {
      LOG.info("a {} succeeded; failed before: {}", what, failed);
    }
  }

  /** Runs something after a pause, guarded by this, and looks for work again. */
  private void later(Runnable change, long pauseMillis) {
    threads.executeLater(
        () -> {
          synchronized (this) {
            change.run();
          }
          wake();
        },
        pauseMillis);
  }

  private void fail(String what, Throwable e) {
    if (state.failure().note(e)) {
      LOG.error("the store takes no more writes: {} failed", what, e);
      setup.listener().failed(new StoreListener.FailureEvent(what, e));
    }
    // Nobody flushes any more: writers that wait for it must look again.
    state.writes().goOn();
  }

  /** Throws what keeps flushes from going on, if anything does. */
  @Override
  public void checkCanFlush() {
    state.failure().check();
    synchronized (this) {
      flushes.check();
    }
  }

  /** Waits until the write buffers that are immutable now are flushed; not for later ones. */
  public void awaitFlushed(DatabaseHandle database) {
    List<WriteBuffer> waiting = database.view().get().immutables();
    awaitUninterruptibly(
        () ->
            database.isDropped()
                || Collections.disjoint(database.view().get().immutables(), waiting));
  }

  /** Waits until nothing is due and nothing runs; merges that are paused count as neither. */
  public void awaitIdle() {
    awaitUninterruptibly(
        () ->
            !flushing
                && nextToFlush().isEmpty()
                && (paused || (mergers == 0 && queue.isIdle() && !isMergeDue())));
  }

  // Guarded by this.
  private boolean isMergeDue() {
    if (queue.awaitsAttempt()) {
      return true;
    }
    boolean isDue = queue.next(NONE) != null;
    if (isDue) {
      mergesOnFullDisk.check();
    }
    return isDue;
  }

  /**
   * Merges all trees a database has into one, and waits for it. Other merges of the database rest
   * only until it has begun, those of low stages hardly at all: a forest to which nobody attends
   * grows with every flush.
   */
  public void mergeAll(DatabaseHandle database) {
    synchronized (this) {
      awaitUninterruptibly(() -> queue.close(database));
    }
    MergeRun run;
    try {
      endMerges(database);
      CompactionPlan plan = CompactionPlan.ofAll(database.view().get().forest());
      if (plan.inputs().isEmpty()) {
        return;
      }
      run = beginHere(MergeJob.of(database, plan));
      run.prepare(threads.mergers());
    } finally {
      synchronized (this) {
        queue.open(database);
      }
      wake();
    }
    finishHere(run);
  }

  /** Waits until no merge of the database has begun: from the highest stage down. */
  private void endMerges(DatabaseHandle database) {
    for (int stage = closeHighest(database); stage > 0; stage = closeHighest(database)) {
      MergeRun rest = beginRestHere(database, stage);
      if (rest != null) {
        rest.prepare(threads.mergers());
        finishHere(rest);
      } else {
        int awaited = stage;
        awaitUninterruptibly(() -> !queue.isActive(database, awaited));
      }
    }
  }

  private synchronized int closeHighest(DatabaseHandle database) {
    int highest = queue.highestBegun(database);
    queue.closeFrom(database, Math.max(1, highest));
    return highest;
  }

  /** Takes a merge that has begun, and at which nobody is at work. */
  private synchronized @Nullable MergeRun beginRestHere(DatabaseHandle database, int stage) {
    if (queue.isActive(database, stage)) {
      return null;
    }
    for (Compaction merge : database.view().get().forest().merges()) {
      if (merge.sourceStage() == stage) {
        return beginHere(MergeJob.rest(database, merge));
      }
    }
    return null;
  }

  private synchronized MergeRun beginHere(MergeJob job) {
    if (stopped) {
      throw Lifecycle.closedException();
    }
    MergeRun run = new MergeRun(work, job, true);
    queue.began(run);
    return run;
  }

  /**
   * Does a merge that is prepared on this thread, with the help of those that are free, and throws
   * what stops it.
   */
  private void finishHere(MergeRun run) {
    try {
      wakeMerges();
      work(run);
      awaitOver(run);
      run.end();
      merged(run);
    } finally {
      synchronized (this) {
        queue.ended(run);
        notifyAll();
      }
    }
  }

  private synchronized void awaitOver(MergeRun run) {
    awaitInAnyCase(run::isOver);
  }

  // Guarded by this.
  private void awaitInAnyCase(Condition condition) {
    boolean interrupted = false;
    while (!condition.holds()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private interface Condition {
    boolean holds();
  }

  private void awaitUninterruptibly(Condition condition) {
    boolean interrupted = false;
    try {
      synchronized (this) {
        while (!condition.holds()) {
          checkCanFlush();
          if (stopped) {
            throw Lifecycle.closedException();
          }
          try {
            wait();
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Starts nothing new and waits for what runs, on threads of users too; merges stop at once when
   * the work's environment says so.
   */
  @Override
  public void close() {
    synchronized (this) {
      stopped = true;
      threads.stop();
      notifyAll();
      awaitInAnyCase(() -> !queue.isUsedByCallers());
    }
    threads.close();
  }
}
