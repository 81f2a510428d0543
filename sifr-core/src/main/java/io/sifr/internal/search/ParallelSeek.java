package io.sifr.internal.search;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.SeekTarget;
import io.sifr.internal.entry.Seeker;
import io.sifr.internal.util.Failures;
import io.sifr.internal.util.ReadEpochs;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Positions the iterators of all trees in parallel, as each may have to read a block: the first
 * step of a range query (TPDS §4.2, "Range Query"). Unlike a point query it needs all of the
 * blocks, so no read is wasted, and parallel reads pay off whenever there are two.
 *
 * <p>Thread-safe.
 */
final class ParallelSeek implements Seeker {
  private final Searchers searchers;
  private final ReadEpochs epochs;
  private final boolean weighsCost;

  /**
   * @param weighsCost whether reads that are as fast as a hand-off are done one by one
   */
  ParallelSeek(Searchers searchers, ReadEpochs epochs, boolean weighsCost) {
    this.searchers = searchers;
    this.epochs = epochs;
    this.weighsCost = weighsCost;
  }

  @Override
  public void seek(EntryIterator[] iterators, SeekTarget to) {
    int ticket = epochs.enter(); // for the threads that are handed a part of it
    try {
      EntryIterator[] slowestFirst = new EntryIterator[iterators.length];
      int unread = 0;
      int read = iterators.length;
      for (EntryIterator iterator : iterators) {
        slowestFirst[iterator.isInMemory(to) ? --read : unread++] = iterator;
      }
      if (unread == 0) {
        ONE_BY_ONE.seek(iterators, to); // nearly always so where data is mapped
      } else {
        searchers.callerBegins();
        try {
          new Crew(slowestFirst, unread, to).seek(helpers(unread), ticket);
        } finally {
          searchers.callerEnds();
        }
      }
    } finally {
      epochs.exit(ticket);
    }
  }

  private int helpers(int unread) {
    return searchers.canHelp(weighsCost) ? Math.min(unread - 1, searchers.idle()) : 0;
  }

  /** One seek: each free thread takes the next iterator and positions it. */
  private final class Crew implements Searchers.Search {
    private final EntryIterator[] iterators;
    private final int unread;
    private final SeekTarget to;
    private final Thread caller = Thread.currentThread();

    /**
     * Each element is written by the thread that positions the iterator, before it decrements the
     * count.
     */
    private final @Nullable Throwable[] failures;

    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger underWay;

    /**
     * @param iterators of which the first {@code unread} have to read blocks
     */
    Crew(EntryIterator[] iterators, int unread, SeekTarget to) {
      this.iterators = iterators;
      this.unread = unread;
      this.to = to;
      this.failures = new Throwable[iterators.length];
      this.underWay = new AtomicInteger(iterators.length);
    }

    /** An interrupt does not end the seek; it is kept for the caller. */
    void seek(int helpers, int ticket) {
      try {
        int left = helpers;
        while (left > 0 && searchers.handOver(this, ticket)) {
          left--;
        }
      } finally {
        run(ticket);
        searchers.await(() -> underWay.get() == 0);
      }
      throwFirstFailure();
    }

    @Override
    public void run(int itsTicket) {
      for (int i = next.getAndIncrement(); i < iterators.length; i = next.getAndIncrement()) {
        try {
          long start = i < unread ? ReadTimes.begin() : 0;
          var unused = iterators[i].seek(to);
          searchers.readTimes().end(start);
        } catch (Throwable e) {
          failures[i] = e; // for the caller
        }
        if (underWay.decrementAndGet() == 0 && Thread.currentThread() != caller) {
          LockSupport.unpark(caller);
        }
      }
    }

    private void throwFirstFailure() {
      for (Throwable failure : failures) {
        if (failure != null) {
          throw Failures.unchecked(failure);
        }
      }
    }
  }
}
