package io.sifr.internal.background;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.background.WorkMonitor.Attempts;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.view.WriteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flushes write buffers as soon as they are immutable, one run after the other, so that the trees
 * of a database are added to stage 1 in the order of its write buffers (I1). Those of several
 * databases that are not larger together than a full one are flushed in one run. Those that hold
 * parts of the same unlogged batches always are, so that no part is on disk without the others.
 */
public final class FlushSchedule {
  private static final Logger LOG = LoggerFactory.getLogger(FlushSchedule.class);
  private static final String FLUSH = "flush";

  /** Buffers of a run, so that a failed run loses only so much work. */
  private static final int MOST_BUFFERS = 1000;

  private final WorkParts parts;
  private final WorkMonitor monitor;
  private final Queue queue;
  private final FlushRun run;
  private final Runnable compactions;
  private final ObsoleteFiles obsoleteFiles;
  private final Retries retries;

  /**
   * True if a run is under way, or waits for a thread. No lock guards it, because writers begin
   * flushes under the write lock: of two threads that find a due buffer, one begins. The end of a
   * run first resets it and then looks for due buffers, and a writer first makes its buffer
   * immutable and then reads it; so one of the two sees what the other did.
   */
  private final AtomicBoolean flushing = new AtomicBoolean();

  /** The number of runs that have ended. Written under the monitor. */
  private volatile int ended;

  public FlushSchedule(
      WorkParts parts,
      FlushRun run,
      Runnable compactions,
      ObsoleteFiles obsoleteFiles,
      Retries retries) {
    this.parts = parts;
    this.monitor = parts.monitor();
    this.queue = new Queue(parts.state().databases()::all);
    this.run = run;
    this.compactions = compactions;
    this.obsoleteFiles = obsoleteFiles;
    this.retries = retries;
  }

  /**
   * Starts flushing if there is an immutable write buffer. Waits for nothing: not for planning, and
   * not for a running flush, which begins the next one itself.
   */
  public void begin() {
    if (monitor.goesOn()
        && !monitor.flushes().isPausing()
        && !flushing.get() // first: writers call this under the write lock
        && !queue.ready().isEmpty()
        && flushing.compareAndSet(false, true)) {
      order();
    }
  }

  private void order() {
    try {
      parts.threads().execute(this::flush);
    } catch (RuntimeException | Error e) {
      flushing.set(false);
      boolean isClosing = e instanceof RejectedExecutionException && monitor.isStopped();
      if (!isClosing) {
        throw e;
      }
    }
  }

  /** As {@link #begin}, and has threads that wait for flushes check their conditions again. */
  public void wake() {
    begin();
    monitor.changed();
  }

  /** The buffers of the next run: those with the oldest writes, so that none waits forever. */
  private List<FlushRun.Waiting> next() {
    long most = parts.setup().options().writeBufferBytes();
    List<FlushRun.Waiting> next = new ArrayList<>();
    long bytes = 0;
    for (List<FlushRun.Waiting> together : queue.ready()) {
      bytes += together.stream().mapToLong(each -> each.buffer().memtable().bytesUsed()).sum();
      if (!next.isEmpty() && (bytes > most || next.size() + together.size() > MOST_BUFFERS)) {
        break;
      }
      next.addAll(together);
    }
    return next;
  }

  /** One run; the next is another task, so that stores that share the threads take turns. */
  private void flush() {
    List<FlushRun.Waiting> next = List.of();
    try {
      next = next();
      if (!next.isEmpty() && !parts.state().failure().isNoted()) {
        run.flush(next);
        flushed();
        parts.state().log().flushed();
        parts.state().writes().goOn();
      }
      obsoleteFiles.reclaim();
    } catch (StoreFullException e) {
      if (!parts
          .state()
          .log()
          .released()
          .makeSpace(bytes(next))) { // else it is tried again at once
        retries.failed(FLUSH, monitor.flushes(), e, this::wake);
      }
    } catch (StoreIoException e) {
      retries.failed(FLUSH, monitor.flushes(), e, this::wake);
    } catch (CancellationException e) {
      LOG.debug("flush stopped: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      retries.stopWrites(FLUSH, e);
    } finally {
      synchronized (monitor) {
        ended++;
      }
      flushing.set(false);
      parts.state().writes().goOn();
      wake();
      compactions.run();
    }
  }

  private static long bytes(List<FlushRun.Waiting> buffers) {
    return buffers.stream().mapToLong(each -> each.buffer().memtable().bytesUsed()).sum();
  }

  /**
   * If the last run has failed, tries again at once instead of after the pause, and waits for it. A
   * run that began before the call does not count: there may be space since then.
   *
   * @throws io.sifr.error.SifrException the failure of this attempt
   */
  public void tryNow() {
    int before = ended;
    monitor.awaitInAnyCase(() -> !flushing.get() || ended != before || monitor.isStopped());
    Attempts attempts = monitor.flushes();
    if (!attempts.hasFailed()) {
      return;
    }
    synchronized (monitor) {
      attempts.next();
    }
    begin();
    monitor.await(() -> !attempts.hasFailed() || isIdle());
  }

  private void flushed() {
    int failed;
    synchronized (monitor) {
      failed = monitor.flushes().succeeded();
    }
    Retries.succeeded(FLUSH, failed);
  }

  /**
   * Whether nothing is being flushed or waits for it. Checks in this order: a run that ends between
   * the two has nothing left to do, and one that begins is seen.
   */
  public boolean isIdle() {
    return !queue.isDue() && !flushing.get();
  }

  /** Waits until all write buffers that are immutable now are flushed. */
  public void awaitFlushed(DatabaseHandle database) {
    List<WriteBuffer> waiting = database.view().get().immutables();
    monitor.await(
        () ->
            database.isDropped()
                || Collections.disjoint(database.view().get().immutables(), waiting));
  }

  /**
   * The write buffers that wait to be flushed, as far as they can be. Writers look at it under the
   * write lock, so it goes over the databases a fixed number of times, however many buffers wait.
   * Thread-safe.
   */
  static final class Queue {
    private static final Comparator<FlushRun.Waiting> OLDEST =
        Comparator.comparingLong(waiting -> waiting.buffer().memtable().maxSequence());

    private final Supplier<Collection<DatabaseHandle>> databases;

    Queue(Supplier<Collection<DatabaseHandle>> databases) {
      this.databases = databases;
    }

    /** Whether buffers wait. */
    boolean isDue() {
      return oldest().findFirst().isPresent();
    }

    /** The oldest buffer of each database that waits. */
    private Stream<FlushRun.Waiting> oldest() {
      return databases.get().stream()
          .filter(database -> !database.isDropped())
          .flatMap(
              database -> {
                List<WriteBuffer> immutables = database.view().get().immutables();
                return immutables.stream()
                    .skip(Math.max(0, immutables.size() - 1))
                    .map(buffer -> new FlushRun.Waiting(database, buffer));
              });
    }

    /**
     * The buffers that can be flushed now, those that are flushed in one step together; those with
     * the oldest writes first. One that follows another buffer of its database waits for it, and so
     * do its companions.
     */
    List<List<FlushRun.Waiting>> ready() {
      List<List<FlushRun.Waiting>> groups = new ArrayList<>();
      IdentityHashMap<Set<WriteBuffer>, List<FlushRun.Waiting>> tied = new IdentityHashMap<>();
      oldest()
          .sorted(OLDEST)
          .forEach(
              each -> {
                Set<WriteBuffer> companions = each.buffer().companions();
                if (companions.isEmpty()) {
                  groups.add(List.of(each));
                } else {
                  // They share one set, which does not change any more.
                  tied.computeIfAbsent(companions, first -> addTo(groups)).add(each);
                }
              });
      if (!tied.isEmpty()) {
        Set<WriteBuffer> present = present();
        groups.removeIf(group -> !isWhole(group, present));
      }
      return groups;
    }

    private static List<FlushRun.Waiting> addTo(List<List<FlushRun.Waiting>> groups) {
      List<FlushRun.Waiting> group = new ArrayList<>();
      groups.add(group);
      return group;
    }

    private static boolean isWhole(List<FlushRun.Waiting> group, Set<WriteBuffer> present) {
      Set<WriteBuffer> companions = group.get(0).buffer().companions();
      return companions.isEmpty()
          || group.size() == companions.stream().filter(present::contains).count();
    }

    /**
     * The buffers that there are: not those of databases that were dropped. One that is being
     * dropped still counts, though nothing flushes it: a crash may restore it.
     */
    private Set<WriteBuffer> present() {
      Set<WriteBuffer> present = new HashSet<>();
      databases.get().stream()
          .map(database -> database.view().get())
          .forEach(
              view -> {
                present.add(view.active());
                present.addAll(view.immutables());
              });
      return present;
    }
  }
}
