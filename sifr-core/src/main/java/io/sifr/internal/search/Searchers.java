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
 * The threads that search beside the callers. They begin to exist when the first search is handed
 * over, and end with the store; idle ones end by themselves after a while. One that has done its
 * work lingers for a moment, see {@link Lingering}. Thread-safe.
 *
 * <p>A search that was handed over is inside the read epoch of the query by a ticket of its own:
 * the caller may have got his answer and left while the searcher is still reading an SST. The
 * caller takes the ticket, while he is inside; the searcher gives it back.
 */
public final class Searchers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Searchers.class);

  /** Longer than that no thread waits awake, however slow the disk. */
  private static final long MOST_NANOS_AWAKE = 300_000;

  private final int count;
  private final ReadEpochs epochs;
  private final IntFunction<Executor> start;
  private final SearchCounters counters = new SearchCounters();
  private final ReadTimes readTimes = new ReadTimes();

  /** Searches that were handed over and have not ended. */
  private final AtomicInteger underWay = new AtomicInteger();

  /** Callers that read blocks at this moment, and may have others do it with {@code ADAPTIVE}. */
  private final AtomicInteger callers = new AtomicInteger();

  private final int processors = Runtime.getRuntime().availableProcessors();
  private final Lingering<HandedOver> lingering = new Lingering<>();

  private volatile @Nullable Executor threads; // written under this monitor

  /**
   * @param count how many threads there are at most
   * @param epochs those that queries are in
   */
  public Searchers(int count, ReadEpochs epochs) {
    this(count, epochs, Searchers::startPool);
  }

  /** With threads of the tests' own. */
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
          return thread; // a daemon, like all of them
        },
        null,
        true); // what was handed over first is searched first
  }

  /** What queries have done so far. */
  public SearchCounters counters() {
    return counters;
  }

  ReadTimes readTimes() {
    return readTimes;
  }

  /** How many threads there are at most. */
  int count() {
    return count;
  }

  /** How many of them have nothing to do; less than 0 when work waits for them. */
  int idle() {
    return count - underWay.get();
  }

  /**
   * Whether one of them has nothing to do.
   *
   * @param weighsCost whether reads must be slow for it, too
   */
  boolean canHelp(boolean weighsCost) {
    return weighsCost ? isWorthHandingOver() : idle() > 0;
  }

  /** Whether reads are worth being handed over now. */
  boolean isWorthHandingOver() {
    return AdaptivePolicy.isWorthHandingOver(readTimes.nanos(), idle(), callers.get(), processors);
  }

  /** A caller begins to read blocks, which others could do for him. */
  void callerBegins() {
    callers.incrementAndGet();
  }

  /** It has read them. */
  void callerEnds() {
    callers.decrementAndGet();
  }

  /**
   * Has a search done by another thread, soon.
   *
   * @param ticket the caller's own, who is inside the epoch
   * @return false when there is no thread for it; it will not be done then
   */
  boolean handOver(Search search, int ticket) {
    HandedOver handedOver = new HandedOver(search, epochs.enterBeside(ticket));
    underWay.incrementAndGet();
    try {
      if (!lingering.give(handedOver)) {
        threads().execute(handedOver);
      }
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // No memory for a thread, or for billions of waiting searches. It may have been queued
      // nevertheless.
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

  /** What is handed over to this thread, which has done its work, in the next moment. */
  private @Nullable HandedOver linger() {
    return lingering.await(nanosAwake(), () -> underWay.get() + lingering.count() > count);
  }

  /**
   * How long it is worth while to wait awake: as long as two reads take, since of those done at
   * once the slowest counts. Over six trees, in turns, a get with {@code FIXED_COUNT} took 299 µs,
   * 317 µs with the time of one read, 376 µs without waiting awake, and 543 µs serially.
   */
  private long nanosAwake() {
    return Math.min(2 * readTimes.nanos(), MOST_NANOS_AWAKE);
  }

  /**
   * Looks out for what others are about to have done: who sleeps has to be woken.
   *
   * @return whether it has come
   */
  boolean lookOut(BooleanSupplier hasCome) {
    return Lingering.lookOut(nanosAwake(), hasCome);
  }

  /**
   * Waits for what others are about to have done, awake and then asleep. Whoever has done it
   * unparks the caller. An interrupt does not end the wait, and is kept.
   */
  void await(BooleanSupplier hasCome) {
    boolean interrupted = false;
    while (!lookOut(hasCome)) {
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
   * Ends the threads when they have done what was handed over. Called when nobody is inside the
   * epochs any more; so what is left reads no SST.
   */
  @Override
  public void close() {
    if (threads instanceof ForkJoinPool pool) {
      pool.shutdown();
    }
  }

  /** What can be handed over. It must not throw. */
  public interface Search {
    /**
     * Searches, inside the epoch.
     *
     * @param ticket with which it is inside
     */
    void run(int ticket);

    /** Called by the same thread when it has left the epoch. */
    default void left() {}
  }

  /** A search on its way to a thread. */
  private final class HandedOver implements Runnable {
    private final Search search;
    private final int ticket;
    private boolean begun; // guarded by this

    HandedOver(Search search, int ticket) {
      this.search = search;
      this.ticket = ticket;
    }

    /** True for one thread. No object of its own: there must be no failure behind the ticket. */
    synchronized boolean begin() {
      boolean first = !begun;
      begun = true;
      return first;
    }

    @Override
    public void run() {
      for (HandedOver next = this; next != null; next = linger()) {
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
