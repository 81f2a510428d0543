package io.sifr.internal.search;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Tasks that the caller and idle threads share. The caller waits for those that others have begun;
 * threads that come too late find nothing to do.
 */
final class SharedWork implements Searchers.Search {
  private final List<? extends Runnable> pieces;
  private final Thread caller = Thread.currentThread();
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger left;

  private SharedWork(List<? extends Runnable> pieces) {
    this.pieces = pieces;
    this.left = new AtomicInteger(pieces.size());
  }

  /**
   * Does all of them, begun in this order. An interrupt is kept for the caller.
   *
   * @param pieces must not throw
   * @param helpers how many threads may help
   * @param ticket the caller's ticket of the epoch that it is inside
   */
  static void doAll(List<? extends Runnable> pieces, int helpers, Searchers searchers, int ticket) {
    SharedWork work = new SharedWork(pieces);
    try {
      int calls = helpers;
      while (calls > 0 && searchers.handOver(work, ticket)) {
        calls--;
      }
    } finally {
      work.run(ticket);
      searchers.await(() -> work.left.get() == 0);
    }
  }

  @Override
  public void run(int itsTicket) {
    for (int i = next.getAndIncrement(); i < pieces.size(); i = next.getAndIncrement()) {
      try {
        pieces.get(i).run();
      } finally {
        if (left.decrementAndGet() == 0) {
          LockSupport.unpark(caller);
        }
      }
    }
  }
}
