package io.sifr.internal.search;

import io.sifr.internal.util.ReadEpochs;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The search threads, which help the callers. They are started when the first search is handed
 * over, and end with the store; idle ones end after a while. A thread that has done its work spins
 * for a moment before it parks, see {@link SpinWait}. Thread-safe.
 *
 * <p>A search that is handed over has its own ticket of the query's read epoch: the caller may have
 * its answer and leave while the searcher is still reading an SST. The caller takes the ticket
 * while it is inside the epoch; the searcher returns it.
 */
public final class Searchers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Searchers.class);

  /** The longest time a thread spins, however slow the disk. */
  private static final long MAX_SPIN_NANOS = 300_000;

  private final int count;
  private final ReadEpochs epochs;
  private final IntFunction<Executor> start;
  private final SearchCounters counters = new SearchCounters();
  private final ReadTimes readTimes = new ReadTimes();

  /** Number of searches that were handed over and have not ended. */
  private final AtomicInteger underWay = new AtomicInteger();

  /** Number of callers that are reading blocks and may hand reads over with {@code ADAPTIVE}. */
  private final AtomicInteger callers = new AtomicInteger();

  private final int processors = Runtime.getRuntime().availableProcessors();
  private final SpinWait<HandedOver> spinning = new SpinWait<>();

  private volatile @Nullable Executor threads; // written with this object's monitor held

  /**
   * @param count the largest number of threads
   * @param epochs the read epochs of the queries
   */
  public Searchers(int count, ReadEpochs epochs) {
    this(count, epochs, Searchers::startPool);
  }

  /** For tests, with their own threads. */
  Searchers(int count, ReadEpochs epochs, IntFunction<Executor> start) {
    this.count = count;
    this.epochs = epochs;
    this.start = start;
  }

  private static Executor startPool(int count) {
    AtomicInteger started = new AtomicInteger();
    return new ForkJoinPool(
        count,
        pool -> {
          ForkJoinWorkerThread thread =
              ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
          thread.setName("sifr-search-" + started.incrementAndGet());
          return thread; // a daemon, as all of the factory's threads
        },
        null,
        true); // first in, first out
  }

  /** The counters of all queries. */
  public SearchCounters counters() {
    return counters;
  }

  ReadTimes readTimes() {
    return readTimes;
  }

  /** The largest number of threads. */
  int count() {
    return count;
  }

  /** Number of idle threads; negative when work is queued. */
  int idle() {
    return count - underWay.get();
  }

  /**
   * Whether a thread is idle.
   *
   * @param weighsCost whether reads must also be slow
   */
  boolean canHelp(boolean weighsCost) {
    return weighsCost ? isWorthHandingOver() : idle() > 0;
  }

  /** Whether reads are worth handing over now. */
  boolean isWorthHandingOver() {
    return AdaptivePolicy.isWorthHandingOver(readTimes.nanos(), idle(), callers.get(), processors);
  }

  /** A caller begins to read blocks, which others could do for it. */
  void callerBegins() {
    callers.incrementAndGet();
  }

  /** A caller has read its blocks. */
  void callerEnds() {
    callers.decrementAndGet();
  }

  /**
   * Hands a search to another thread.
   *
   * @param ticket the caller's own ticket of the epoch that it is inside
   * @return false when no thread will do it
   */
  boolean handOver(Search search, int ticket) {
    HandedOver handedOver = new HandedOver(search, epochs.enterBeside(ticket));
    underWay.incrementAndGet();
    try {
      if (!spinning.offer(handedOver)) {
        threads().execute(handedOver);
      }
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // Out of memory for a thread or for the queue. The search may have been queued nevertheless.
      if (handedOver.begin()) {
        epochs.exit(handedOver.ticket);
        underWay.decrementAndGet();
        LOG.warn("a search cannot be handed over: {}", e.toString());
        return false;
      }
    }
    counters.handedOver();
    return true;
  }

  /** Spins for the next search to be handed over to this idle thread. */
  private @Nullable HandedOver spinForNext() {
    return spinning.await(nanosToSpin(), () -> underWay.get() + spinning.count() > count);
  }

  /**
   * How long spinning pays off: as long as two reads take, since of parallel reads the slowest
   * counts. Over six trees, in turns, a get with {@code FIXED_COUNT} took 299 µs, 317 µs with the
   * time of one read, 376 µs without spinning, and 543 µs serially.
   */
  private long nanosToSpin() {
    return Math.min(2 * readTimes.nanos(), MAX_SPIN_NANOS);
  }

  /**
   * Spins until others have done something: a parked thread would have to be woken.
   *
   * @return whether it is done
   */
  boolean spin(BooleanSupplier isDone) {
    return SpinWait.spin(nanosToSpin(), isDone);
  }

  /**
   * Waits until others have done something: spins, then parks. The thread that has done it unparks
   * the caller. An interrupt does not end the wait, and is kept.
   */
  void await(BooleanSupplier isDone) {
    boolean interrupted = false;
    while (!spin(isDone)) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Executor threads() {
    Executor running = threads;
    if (running == null) {
      synchronized (this) {
        running = threads;
        if (running == null) {
          running = start.apply(count);
          threads = running;
        }
      }
    }
    return running;
  }

  /**
   * Ends the threads once they have done what was handed over. Called when no thread is inside the
   * epochs any more, so the remaining searches read no SST.
   */
  @Override
  public void close() {
    if (threads instanceof ForkJoinPool pool) {
      pool.shutdown();
    }
  }

  /** A search that can be handed over. It must not throw. */
  public interface Search {
    /**
     * Called inside the epoch.
     *
     * @param ticket its ticket of the epoch
     */
    void run(int ticket);

    /** Called by the same thread after it has left the epoch. */
    default void left() {}
  }

  /** A search that is queued for a thread. */
  private final class HandedOver implements Runnable {
    private final Search search;
    private final int ticket;
    private boolean begun; // guarded by this

    HandedOver(Search search, int ticket) {
      this.search = search;
      this.ticket = ticket;
    }

    /** True for one thread. No atomic object: nothing may fail after the ticket is taken. */
    synchronized boolean begin() {
      boolean first = !begun;
      begun = true;
      return first;
    }

    @Override
    public void run() {
      for (HandedOver next = this; next != null; next = spinForNext()) {
        next.search();
      }
    }

    private void search() {
      if (begin()) {
        try {
          search.run(ticket);
        } finally {
          epochs.exit(ticket);
          try {
            search.left();
          } finally {
            underWay.decrementAndGet();
          }
        }
      }
    }
  }
}
