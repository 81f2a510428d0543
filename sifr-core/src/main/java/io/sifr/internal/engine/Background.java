package io.sifr.internal.engine;

import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreFullException;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.compaction.SplitForestPolicy;
import io.sifr.internal.util.NamedThreads;
import io.sifr.internal.view.WriteBuffer;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when flushes and merges run, and on which thread. One thread flushes, so that the trees
 * of a database come into stage 1 in the order of its write buffers (I1); {@link
 * StoreOptions#mergeThreads} threads merge, lower stages first, at most one merge a source stage
 * (I1).
 *
 * <p>When the disk is full the work is tried again every now and then; a damaged input stops the
 * merges of its stage and nothing else; any other failure stops the writes (I7).
 */
final class Background implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Background.class);
  private static final long RETRY_MILLIS = 200;
  private static final long DIG_MILLIS = 5;

  private final BackgroundWork work;
  private final Graveyard graveyard;
  private final Runnable writersMayGoOn;
  private final Failure failure;
  private final StoreListener listener;
  private final Supplier<Collection<DatabaseHandle>> databases;
  private final CompactionPolicy policy;
  private final int mergeThreads;
  private final ScheduledThreadPoolExecutor flusher;
  private final ExecutorService merger;

  // All below guarded by this; it is notified whenever one of them, or a view, changes.

  /** Database id → source stages with a running merge. */
  private final Map<Integer, Set<Integer>> busyStages = new HashMap<>();

  /** Database id → source stages whose merges a damaged file stopped. */
  private final Map<Integer, Set<Integer>> damagedStages = new HashMap<>();

  /** Databases whose whole forest is being merged. */
  private final Set<Integer> exclusive = new HashSet<>();

  private int runningMerges;
  private boolean flushing;
  private boolean digging;
  private boolean stopped;
  private @Nullable StoreFullException full;

  Background(
      BackgroundWork work,
      Graveyard graveyard,
      Runnable writersMayGoOn,
      Failure failure,
      StoreOptions options,
      StoreListener listener,
      Supplier<Collection<DatabaseHandle>> databases) {
    this.work = work;
    this.graveyard = graveyard;
    this.writersMayGoOn = writersMayGoOn;
    this.failure = failure;
    this.listener = listener;
    this.databases = databases;
    this.policy = new SplitForestPolicy(options.growthFactor(), options.mergeTrigger());
    this.mergeThreads = options.mergeThreads();
    this.flusher = new ScheduledThreadPoolExecutor(1, NamedThreads.daemon("sifr-flush"));
    flusher.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.merger = Executors.newFixedThreadPool(mergeThreads, NamedThreads.daemon("sifr-merge"));
  }

  /** Runs something small beside the flushes: the log prepares its segments there. */
  void execute(Runnable small) {
    flusher.execute(small);
  }

  /** Looks for write buffers to flush and trees to merge. */
  void wake() {
    synchronized (this) {
      if (stopped || failure.isNoted()) {
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
    if (!flushing && full == null && nextToFlush().isPresent()) {
      flushing = true;
      flusher.execute(this::flushAll);
    }
  }

  private Optional<DatabaseHandle> nextToFlush() {
    return databases.get().stream()
        .filter(database -> !database.isDropped())
        .filter(database -> !database.view().get().immutables().isEmpty())
        .findFirst();
  }

  private void flushAll() {
    try {
      for (Optional<DatabaseHandle> next = nextToFlush();
          next.isPresent() && !failure.isNoted();
          next = nextToFlush()) {
        work.flush(next.get());
        writersMayGoOn.run();
        wakeMerges();
      }
      dig();
    } catch (StoreFullException e) {
      diskFull("flush", e);
    } catch (CancellationException e) {
      LOG.debug("flush stopped: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      fail("flush", e);
    } finally {
      synchronized (this) {
        flushing = false;
      }
      writersMayGoOn.run();
      wake();
    }
  }

  private synchronized void wakeMerges() {
    startMerges();
    notifyAll();
  }

  // Guarded by this.
  private void startMerges() {
    if (stopped || full != null || failure.isNoted()) {
      return;
    }
    while (runningMerges < mergeThreads) {
      Job job = nextJob();
      if (job == null) {
        return;
      }
      busyStages
          .computeIfAbsent(job.database().id(), id -> new HashSet<>())
          .add(job.plan().sourceStage());
      runningMerges++;
      merger.execute(() -> merge(job.database(), job.plan()));
    }
  }

  private record Job(DatabaseHandle database, CompactionPlan plan) {}

  private @Nullable Job nextJob() {
    Job lowest = null;
    for (DatabaseHandle database : databases.get()) {
      if (database.isDropped() || exclusive.contains(database.id())) {
        continue;
      }
      Set<Integer> busy = busyStages.getOrDefault(database.id(), Set.of());
      Set<Integer> damaged = damagedStages.getOrDefault(database.id(), Set.of());
      CompactionPlan plan =
          policy
              .choose(
                  database.view().get().forest(),
                  stage -> busy.contains(stage) || damaged.contains(stage))
              .orElse(null);
      if (plan != null && (lowest == null || plan.sourceStage() < lowest.plan().sourceStage())) {
        lowest = new Job(database, plan);
      }
    }
    return lowest;
  }

  private void merge(DatabaseHandle database, CompactionPlan plan) {
    try {
      work.merge(database, plan);
      digSoon();
    } catch (StoreFullException e) {
      diskFull("merge", e);
    } catch (CorruptionException e) {
      LOG.error("stage {} of {} is merged no more", plan.sourceStage(), plan.database(), e);
      synchronized (this) {
        damagedStages
            .computeIfAbsent(plan.databaseId(), id -> new HashSet<>())
            .add(plan.sourceStage());
      }
      listener.failed(new StoreListener.FailureEvent("merge", e));
    } catch (CancellationException e) {
      LOG.debug("merge stopped: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      fail("merge", e);
    } finally {
      synchronized (this) {
        runningMerges--;
        busyStages.getOrDefault(plan.databaseId(), new HashSet<>()).remove(plan.sourceStage());
        notifyAll();
      }
      wake();
    }
  }

  /** Deletes files nobody reads any more, on the thread that does so. */
  synchronized void digSoon() {
    if (!stopped) {
      flusher.execute(this::dig);
    }
  }

  /**
   * Deletes files nobody reads any more, and comes back later for those that somebody still does.
   */
  private void dig() {
    if (graveyard.dig()) {
      synchronized (this) {
        if (!digging && !stopped) {
          digging = true;
          var unused = flusher.schedule(this::digAgain, DIG_MILLIS, TimeUnit.MILLISECONDS);
        }
      }
    }
  }

  private void digAgain() {
    synchronized (this) {
      digging = false;
    }
    dig();
  }

  private void diskFull(String what, StoreFullException e) {
    LOG.warn("the {} waits for space: {}", what, e.getMessage());
    listener.failed(new StoreListener.FailureEvent(what, e));
    synchronized (this) {
      if (full == null && !stopped) {
        full = e;
        var unused = flusher.schedule(this::retry, RETRY_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  private void retry() {
    synchronized (this) {
      full = null;
    }
    wake();
  }

  private void fail(String what, Throwable e) {
    if (failure.note(e)) {
      LOG.error("the store takes no more writes: {} failed", what, e);
      listener.failed(new StoreListener.FailureEvent(what, e));
    }
    // Nobody flushes any more: writers that wait for it must look again.
    writersMayGoOn.run();
  }

  /** Throws what keeps flushes from going on, if anything does. */
  void checkCanFlush() {
    failure.check();
    StoreFullException cause;
    synchronized (this) {
      cause = full;
    }
    if (cause != null) {
      throw cause.again();
    }
  }

  /** Waits until the write buffers that are immutable now are flushed; not for later ones. */
  void awaitFlushed(DatabaseHandle database) {
    List<WriteBuffer> waiting = database.view().get().immutables();
    awaitUninterruptibly(
        () ->
            database.isDropped()
                || Collections.disjoint(database.view().get().immutables(), waiting));
  }

  /** Waits until nothing is due and nothing runs. */
  void awaitIdle() {
    awaitUninterruptibly(
        () ->
            !flushing
                && runningMerges == 0
                && exclusive.isEmpty()
                && nextToFlush().isEmpty()
                && nextJob() == null);
  }

  /** Merges the whole forest of a database into one tree, and waits for it. */
  void mergeAll(DatabaseHandle database) {
    int id = database.id();
    synchronized (this) {
      awaitUninterruptibly(() -> !exclusive.contains(id));
      if (stopped) {
        throw StoreEngine.closed();
      }
      exclusive.add(id);
    }
    try {
      awaitUninterruptibly(() -> runningMergesOf(id).isEmpty());
      CompactionPlan plan = CompactionPlan.ofAll(database.view().get().forest());
      if (!plan.inputs().isEmpty()) {
        work.merge(database, plan);
        digSoon();
      }
    } finally {
      synchronized (this) {
        exclusive.remove(id);
      }
      wake();
    }
  }

  private Set<Integer> runningMergesOf(int databaseId) {
    return busyStages.getOrDefault(databaseId, Set.of());
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
            throw StoreEngine.closed();
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
      notifyAll();
      awaitNoExclusive();
    }
    merger.shutdown();
    flusher.shutdown();
    awaitTermination(merger);
    awaitTermination(flusher);
  }

  // Guarded by this.
  private void awaitNoExclusive() {
    boolean interrupted = false;
    while (!exclusive.isEmpty()) {
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

  private static void awaitTermination(ExecutorService executor) {
    boolean interrupted = false;
    while (true) {
      try {
        if (executor.awaitTermination(1, TimeUnit.HOURS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
