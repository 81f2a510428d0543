package io.sifr.internal.resources;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that compact, for any number of stores. Those that have something to compact get a
 * thread in turn, each time for one compaction. A thread that has a long one has a much smaller one
 * run in its place when that waits, of whichever store.
 *
 * <p>Only so many threads have a {@link Turn} to compact at a time. One that waits has none: while
 * a smaller one runs in its place, while its store is paused, and when it has not come to a yield
 * point for ten seconds, because its disk hangs. When it goes on it has one in any case, so there
 * may be more than there should be for a while. Each compaction has a thread of its own: a store
 * never waits in the code of another, and can be closed although another one runs in its place.
 *
 * <p>Thread-safe.
 */
public final class CompactionThreads {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionThreads.class);

  /** A source of compactions: a store. */
  public interface Source {
    /**
     * Bytes of the smallest that waits for a thread, be it one that works on a larger one of the
     * same source; {@link Long#MAX_VALUE} if none does.
     */
    long smallestWaiting();

    /**
     * Whether it has work for one more thread, which may also be a part of a compaction that runs.
     */
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

  /** So long a thread may be without a sign of life. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final int most;
  private final ExecutorService threads;
  private final LongSupplier nanoTime;

  // All below guarded by this.

  /** Those whose turn it will be, the next one first. */
  private final Set<Source> waiting = new LinkedHashSet<>();

  /** Those with something for which others may give up their turn, the next one first. */
  private final Set<Source> smaller = new LinkedHashSet<>();

  /** Those of threads that compact. */
  private final Set<Turn> turns = new HashSet<>();

  /** True if a thread was ordered that has not begun to work. */
  private boolean ordered;

  /** Bytes of the smallest that waits although no thread is free; read without the lock. */
  private volatile long smallest = Long.MAX_VALUE;

  /**
   * @param most how many threads compact at a time
   * @param threads a pool that starts as many threads as are ordered
   */
  CompactionThreads(int most, ExecutorService threads) {
    this(most, threads, System::nanoTime);
  }

  CompactionThreads(int most, ExecutorService threads, LongSupplier nanoTime) {
    this.most = most;
    this.threads = threads;
    this.nanoTime = nanoTime;
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
    update(waiting, source, source.isWaiting());
    update(smaller, source, source.smallestWaiting() < Long.MAX_VALUE);
    findSmallest();
  }

  private static void update(Set<Source> some, Source source, boolean isOne) {
    if (isOne) {
      some.add(source);
    } else {
      some.remove(source);
    }
  }

  private synchronized void findSmallest() {
    long found = Long.MAX_VALUE;
    if (!ordered) {
      for (Source source : smaller) {
        found = Math.min(found, source.smallestWaiting());
      }
    }
    smallest = found;
  }

  private void orderThread() {
    lost().forEach(Turn::giveUp);
    if (mayOrder()) {
      try {
        threads.execute(this::work);
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        LOG.warn("there is no thread to compact with: {}", e.toString());
        begun();
      }
    }
  }

  /** Turns of threads that hang, if others need them. */
  private synchronized List<Turn> lost() {
    return turns.size() < most || waiting.isEmpty()
        ? List.of()
        : turns.stream().filter(Turn::isLost).toList();
  }

  /** One after the other: each takes something first, and then it is known whether more is left. */
  private synchronized boolean mayOrder() {
    boolean may = !ordered && turns.size() < most && !waiting.isEmpty();
    if (may) {
      ordered = true;
      findSmallest();
    }
    return may;
  }

  private void work() {
    Turn turn = new Turn(null);
    try {
      turn.resume();
      begun();
      for (Source source = next(turn); source != null; source = next(turn)) {
        Consumer<Turn> compaction = take(source, Long.MAX_VALUE);
        if (compaction != null) {
          compaction.accept(turn);
        }
      }
    } finally {
      turn.giveUp();
    }
  }

  private synchronized void begun() {
    ordered = false;
    findSmallest();
  }

  /** The next in turn; null if there is none, or more threads compact than should. */
  private synchronized @Nullable Source next(Turn turn) {
    turn.resume();
    return turns.size() > most ? null : next(waiting, source -> true);
  }

  private synchronized @Nullable Source nextSmaller(long mostBytes) {
    return next(smaller, source -> source.smallestWaiting() <= mostBytes);
  }

  private static @Nullable Source next(Set<Source> some, Predicate<Source> wanted) {
    for (Source source : some) {
      if (wanted.test(source)) {
        some.remove(source);
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

  /** The right of a thread to compact, which it may lend. */
  public final class Turn {
    /** By which it has it from another thread, for as long as that waits. */
    private final @Nullable Loan loan;

    /** The time at which the thread has last given a sign of life. */
    private volatile long seen;

    private Turn(@Nullable Loan loan) {
      this.loan = loan;
    }

    /**
     * Whether something waits that could run in place of this thread's compaction. Called at its
     * yield points.
     */
    public boolean isWaiting(long mostBytes) {
      if (isLost()) {
        resume();
      }
      seen = nanoTime.getAsLong();
      return smallest <= mostBytes;
    }

    private boolean isLost() {
      return nanoTime.getAsLong() - seen >= LOST_NANOS;
    }

    /**
     * Has something smaller run in place of this thread's compaction, if it still waits.
     *
     * @param mostBytes what counts as smaller
     * @param whenOver called by another thread when it is over
     * @param await waits until the condition holds, or this thread must go on in any case
     */
    public void lend(long mostBytes, Runnable whenOver, Consumer<BooleanSupplier> await) {
      Source source = nextSmaller(mostBytes);
      Consumer<Turn> smaller = source == null ? null : take(source, mostBytes);
      if (smaller == null) {
        return;
      }
      Loan given = new Loan(this, whenOver);
      Turn lent = new Turn(given);
      lent.resume();
      given.begin();
      try {
        threads.execute(() -> lent.run(smaller));
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        lent.run(smaller); // on this thread, which there is
      }
      await.accept(given::isOver);
      given.end();
    }

    private void run(Consumer<Turn> compaction) {
      try {
        compaction.accept(this);
      } finally {
        giveUp();
      }
    }

    /** Waits; meanwhile another thread may compact. */
    public void pauseFor(Runnable waiting) {
      giveUp();
      try {
        waiting.run();
      } finally {
        resume();
      }
    }

    private void resume() {
      seen = nanoTime.getAsLong();
      synchronized (CompactionThreads.this) {
        turns.add(this);
      }
    }

    private void giveUp() {
      synchronized (CompactionThreads.this) {
        turns.remove(this);
      }
      if (loan != null) {
        loan.end();
      }
      orderThread();
    }
  }

  /** Of a turn, from one thread to another; over when either goes on without the other. */
  private final class Loan {
    private final Turn lender;
    private final Runnable whenOver;

    /** Guarded by the threads. */
    private boolean isOver;

    Loan(Turn lender, Runnable whenOver) {
      this.lender = lender;
      this.whenOver = whenOver;
    }

    void begin() {
      synchronized (CompactionThreads.this) {
        turns.remove(lender);
      }
    }

    boolean isOver() {
      synchronized (CompactionThreads.this) {
        return isOver;
      }
    }

    void end() {
      synchronized (CompactionThreads.this) {
        if (isOver) {
          return;
        }
        isOver = true;
        lender.resume();
      }
      whenOver.run();
    }
  }
}
