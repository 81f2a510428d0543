package io.sifr.internal.resources;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The search threads, which help the callers of any number of stores. They are started when the
 * first search is handed over; idle ones end after a while. A thread that has done its work spins
 * for a moment before it parks, see {@link SpinWait}. Thread-safe.
 */
public final class SearchThreads implements AutoCloseable {
  private final int count;
  private final IntFunction<Executor> start;

  /** Number of searches that were handed over and have not ended. */
  private final AtomicInteger underWay = new AtomicInteger();

  /** Number of callers that are reading blocks and may hand reads over with {@code ADAPTIVE}. */
  private final AtomicInteger callers = new AtomicInteger();

  private final int processors = Runtime.getRuntime().availableProcessors();
  private final SpinWait<Work> spinning = new SpinWait<>();

  private volatile @Nullable Executor threads; // written with this object's monitor held

  /**
   * @param count the largest number of threads
   */
  public SearchThreads(int count) {
    this(count, SearchThreads::startPool);
  }

  /** For tests, with their own threads. */
  public SearchThreads(int count, IntFunction<Executor> start) {
    this.count = count;
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

  /** The largest number of threads. */
  public int count() {
    return count;
  }

  /** Number of idle threads; negative when work is queued. */
  public int idle() {
    return count - underWay.get();
  }

  /** Number of callers that are reading blocks. */
  public int callers() {
    return callers.get();
  }

  /** Number of processors. */
  public int processors() {
    return processors;
  }

  /** A caller begins to read blocks, which others could do for it. */
  public void callerBegins() {
    callers.incrementAndGet();
  }

  /** A caller has read its blocks. */
  public void callerEnds() {
    callers.decrementAndGet();
  }

  /**
   * Has a thread do some work.
   *
   * @throws java.util.concurrent.RejectedExecutionException when there are no threads any more; the
   *     work may be queued nevertheless
   * @throws OutOfMemoryError when there is no memory for a thread; the same holds
   */
  public void execute(Work work) {
    underWay.incrementAndGet();
    if (!spinning.offer(work)) {
      threads().execute(work);
    }
  }

  /** Some work has ended, or will not be done. */
  public void ended() {
    underWay.decrementAndGet();
  }

  /** Spins for the next work to be given to this idle thread. */
  private @Nullable Work spinForNext(long nanos) {
    return spinning.await(nanos, () -> underWay.get() + spinning.count() > count);
  }

  /**
   * Spins until others have done something: a parked thread would have to be woken.
   *
   * @return whether it is done
   */
  public static boolean spin(long nanos, BooleanSupplier isDone) {
    return SpinWait.spin(nanos, isDone);
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

  /** Ends the threads once they have done what was given to them. */
  @Override
  public void close() {
    if (threads instanceof ForkJoinPool pool) {
      pool.shutdown();
    }
  }

  /** Work for a search thread. */
  public abstract static class Work implements Runnable {
    private final SearchThreads threads;

    /** For one of these threads. */
    protected Work(SearchThreads threads) {
      this.threads = threads;
    }

    /** Does it, and calls {@link SearchThreads#ended}. */
    protected abstract void search();

    /** How long a thread that has done it spins for more. */
    protected abstract long nanosToSpin();

    @Override
    public final void run() {
      for (Work next = this; next != null; next = threads.spinForNext(next.nanosToSpin())) {
        next.search();
      }
    }
  }
}
