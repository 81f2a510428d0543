package io.sifr.internal.resources;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that compact, for any number of stores. Those that have something to compact get a
 * thread in turn, each time for one compaction. A thread that has a long one has a much smaller one
 * run in its place when that waits, of whichever store.
 *
 * <p>Only so many threads compact at a time; those that wait, for a smaller one or because their
 * store is paused, do not count. So a store never waits in the code of another: each compaction has
 * a thread of its own, and can be stopped although another one runs in its place.
 *
 * <p>Thread-safe.
 */
public final class CompactionThreads {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionThreads.class);

  /** What has compactions to run: a store. */
  public interface Source {
    /** Bytes of the smallest that waits for a thread; {@link Long#MAX_VALUE} if none does. */
    long smallestWaiting();

    /** Whether it has work for a thread, which may also be a part of a compaction that runs. */
    boolean isWaiting();

    /**
     * Takes what is to be run next.
     *
     * @param mostBytes only a compaction of at most so many bytes, to be run by one thread; without
     *     limit if {@link Long#MAX_VALUE}
     * @return null when there is none
     */
    @Nullable Consumer<Turn> take(long mostBytes);
  }

  private final int most;
  private final ExecutorService threads;

  // All below guarded by this.

  /** Those whose turn it will be, the next one first. */
  private final Set<Source> waiting = new LinkedHashSet<>();

  /** Threads that compact, or were ordered for it. */
  private int running;

  /** Whether a thread was ordered that has not begun to work. */
  private boolean ordered;

  /** Bytes of the smallest that waits although no thread is free; read without the lock. */
  private volatile long smallest = Long.MAX_VALUE;

  /**
   * @param most how many threads compact at a time
   * @param threads a pool that starts as many threads as are ordered
   */
  CompactionThreads(int most, ExecutorService threads) {
    this.most = most;
    this.threads = threads;
  }

  /** How many threads compact at a time. */
  public int most() {
    return most;
  }

  /**
   * Whether the source has work has changed. Must not be called with a lock that {@link
   * Source#take} needs.
   */
  public void changed(Source source) {
    update(source);
    orderThread();
  }

  private synchronized void update(Source source) {
    if (source.isWaiting()) {
      waiting.add(source);
    } else {
      waiting.remove(source);
    }
    findSmallest();
  }

  private synchronized void findSmallest() {
    long found = Long.MAX_VALUE;
    if (!ordered) {
      for (Source source : waiting) {
        found = Math.min(found, source.smallestWaiting());
      }
    }
    smallest = found;
  }

  private void orderThread() {
    if (mayOrder()) {
      try {
        threads.execute(this::work);
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        LOG.warn("there is no thread to compact with: {}", e.toString());
        begun();
        ended();
      }
    }
  }

  /** One after the other: each takes something first, and then it is known whether more is left. */
  private synchronized boolean mayOrder() {
    boolean may = !ordered && running < most && !waiting.isEmpty();
    if (may) {
      running++;
      ordered = true;
      findSmallest();
    }
    return may;
  }

  private void work() {
    Turn turn = new Turn(null);
    try {
      begun();
      for (Source source = next(); source != null; source = next()) {
        Consumer<Turn> compaction = take(source, Long.MAX_VALUE);
        if (compaction != null) {
          compaction.accept(turn);
        }
      }
    } finally {
      turn.giveBack();
    }
  }

  private synchronized void begun() {
    ordered = false;
    findSmallest();
  }

  /** The next in turn; null if there is none, or more threads compact than should. */
  private synchronized @Nullable Source next() {
    return running > most ? null : next(source -> true);
  }

  private synchronized @Nullable Source next(Predicate<Source> wanted) {
    for (Source source : waiting) {
      if (wanted.test(source)) {
        waiting.remove(source);
        return source;
      }
    }
    return null;
  }

  private @Nullable Consumer<Turn> take(Source source, long mostBytes) {
    Consumer<Turn> compaction = source.take(mostBytes);
    changed(source); // the last one again, if it has more
    return compaction;
  }

  private synchronized void ended() {
    running--;
  }

  /** The right of a thread to compact, which it may lend. */
  public final class Turn {
    /** Whose turn this is for as long as the other waits. */
    private final @Nullable Loan loan;

    private Turn(@Nullable Loan loan) {
      this.loan = loan;
    }

    /** Whether something waits that could run in place of this thread's compaction. */
    public boolean isWaiting(long mostBytes) {
      return smallest <= mostBytes;
    }

    /**
     * Has something smaller run in place of this thread's compaction, if it still waits.
     *
     * @param mostBytes what counts as smaller
     * @param whenOver called by another thread when it is over
     * @param await waits until the condition holds, or this thread must go on in any case
     */
    public void lend(long mostBytes, Runnable whenOver, Consumer<BooleanSupplier> await) {
      Source source = next(waits -> waits.smallestWaiting() <= mostBytes);
      Consumer<Turn> smaller = source == null ? null : take(source, mostBytes);
      if (smaller == null) {
        return;
      }
      Loan lent = new Loan(whenOver);
      try {
        threads.execute(() -> run(smaller, new Turn(lent)));
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        smaller.accept(this); // on this thread, which there is
        return;
      }
      await.accept(lent::isBack);
      lent.endWaiting();
    }

    private void run(Consumer<Turn> compaction, Turn turn) {
      try {
        compaction.accept(turn);
      } finally {
        turn.giveBack();
      }
    }

    /** Waits; meanwhile another thread may compact. */
    public void pauseFor(Runnable waiting) {
      giveBack();
      try {
        waiting.run();
      } finally {
        synchronized (CompactionThreads.this) {
          running++; // more than there should be for a moment, rather than to wait once more
        }
      }
    }

    private void giveBack() {
      if (loan == null || !loan.returned()) {
        ended();
        orderThread();
      }
    }
  }

  /** A turn that a thread has lent to another one. */
  private final class Loan {
    private final Runnable whenOver;

    // Both guarded by the threads.
    private boolean isBack;
    private boolean isGivenUp;

    Loan(Runnable whenOver) {
      this.whenOver = whenOver;
    }

    boolean isBack() {
      synchronized (CompactionThreads.this) {
        return isBack;
      }
    }

    /** Returns false when nobody waits for it any more, or it was returned before. */
    boolean returned() {
      synchronized (CompactionThreads.this) {
        if (isBack || isGivenUp) {
          return false;
        }
        isBack = true;
      }
      whenOver.run();
      return true;
    }

    /** Both have a turn from now on, if it is not back. */
    void endWaiting() {
      synchronized (CompactionThreads.this) {
        if (!isBack) {
          isGivenUp = true;
          running++;
        }
      }
    }
  }
}
