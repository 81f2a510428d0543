package io.sifr.internal.search;

import io.sifr.event.Metric;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.search.Searchers.ReadTimes;
import io.sifr.internal.util.Failures;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One point query whose candidates are searched by several threads: the query object of SoCC §4.3,
 * without its lock. The caller searches as well, and waits only while other threads do all that is
 * left.
 *
 * <p>I8: the answer is that of a serial search. It is settled when a candidate holds the key or has
 * failed, and no candidate above it holds the key; or when no candidate holds it. Any answer or
 * failure below that candidate is ignored.
 *
 * <p><b>State.</b> Three sets of candidates, bit i for the i-th: claimed ones, each taken by one
 * thread; answered ones; and decisive ones, which hold the key or failed. A searcher writes its
 * result, then the decisive bit, then the answered bit; a thread that sees the answered bit sees
 * the other two. All three sets only grow, so each thread may decide by what it sees: what it does
 * not see yet can make it wait, but never err. Each thread checks after its answer whether the
 * query is settled, and the last one to answer sees all answers.
 *
 * <p>When the caller leaves, it sets all answered bits. A searcher that finds its bit set is too
 * late and releases its own result; the caller releases all others.
 */
final class Query implements Searchers.Search {
  /** Largest number of candidates of a query. */
  static final int MOST_CANDIDATES = Long.SIZE;

  private static final VarHandle CLAIMED = handle("claimed", long.class);
  private static final VarHandle ANSWERED = handle("answered", long.class);
  private static final VarHandle DECISIVE = handle("decisive", long.class);
  private static final VarHandle COMING = handle("coming", int.class);

  private final List<? extends Candidate> candidates;
  private final SearchPlan plan;
  private final Searchers searchers;
  private final int ticket;
  private final Thread caller = Thread.currentThread();
  private final long all;

  // Each element is written by the thread that claimed the candidate, before its answered bit.
  private final @Nullable Lookup[] found;
  private final @Nullable Throwable[] failures;
  private final boolean[] wasRead;

  private volatile long claimed;
  private volatile long answered;
  private volatile long decisive;

  /** Searchers that were requested and have not begun yet. */
  private volatile int coming;

  private volatile boolean callerWaits;

  /**
   * @param candidates by priority, 1 to {@link #MOST_CANDIDATES}
   * @param plan the order in which they may be searched
   * @param ticket the caller's ticket of the epoch that it is inside
   */
  Query(List<? extends Candidate> candidates, SearchPlan plan, Searchers searchers, int ticket) {
    int count = candidates.size();
    this.candidates = candidates;
    this.plan = plan;
    this.searchers = searchers;
    this.ticket = ticket;
    this.all = -1L >>> (Long.SIZE - count);
    this.found = new Lookup[count];
    this.failures = new Throwable[count];
    this.wasRead = new boolean[count];
  }

  private static VarHandle handle(String field, Class<?> type) {
    try {
      return MethodHandles.lookup().findVarHandle(Query.class, field, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Finds the answer. An interrupt does not end the search; it is kept for the caller.
   *
   * @param into receives it; unchanged when there is none
   * @return whether there is one
   * @throws RuntimeException what the candidate threw at which a serial search would have failed
   */
  boolean find(Lookup into) {
    boolean interrupted = false;
    try {
      search(claim());
      while (!isSettled()) {
        callerWaits = true;
        if (!searchers.spin(() -> isSettled() || claimable(claimed) != 0)) {
          LockSupport.park(this);
        }
        callerWaits = false;
        interrupted |= Thread.interrupted();
        search(claim());
      }
    } catch (Throwable e) {
      discardAll(leave()); // most likely out of memory
      throw e;
    } finally {
      if (interrupted) {
        caller.interrupt();
      }
    }
    return take(leave(), into);
  }

  /** Sets all answered bits and returns the answers so far; the searchers release later ones. */
  private long leave() {
    return (long) ANSWERED.getAndBitwiseOr(this, all);
  }

  /** Called by a searcher that was handed the query. */
  @Override
  public void run(int itsTicket) {
    int first = claim();
    COMING.getAndAdd(this, -1); // after the claim: else another would be requested for it
    search(first);
  }

  /** Searches a claimed candidate, then others while there are any for this thread. */
  private void search(int first) {
    Lookup lookup = null;
    for (int i = first; i >= 0; i = claim()) {
      callOthers();
      lookup = search(i, lookup == null ? new Lookup() : lookup);
    }
  }

  /** Claims the candidate of highest priority that may be searched now; -1 when there is none. */
  private int claim() {
    while (!isSettled()) {
      long seen = claimed;
      long candidate = Long.lowestOneBit(claimable(seen));
      if (candidate == 0) {
        return -1;
      }
      if (CLAIMED.compareAndSet(this, seen, seen | candidate)) {
        return Long.numberOfTrailingZeros(candidate);
      }
    }
    return -1;
  }

  private long claimable(long seenClaimed) {
    long hit = Long.lowestOneBit(decisive);
    long neededStill = hit == 0 ? all : hit - 1;
    return plan.allowed(seenClaimed, answered) & neededStill & ~seenClaimed;
  }

  private boolean isSettled() {
    long answers = answered; // read before the decisive ones, which are written first
    long hit = Long.lowestOneBit(decisive & answers);
    long needed = hit == 0 ? all : hit - 1;
    return (needed & ~answers) == 0;
  }

  /**
   * Wakes threads for the candidates this one does not search: the caller if it waits, then
   * searchers.
   */
  private void callOthers() {
    int left = Long.bitCount(claimable(claimed)) - coming;
    if (left > 0 && callerWaits) {
      LockSupport.unpark(caller);
      left--;
    }
    for (int calls = Math.min(left, searchers.idle()); calls > 0; calls--) {
      COMING.getAndAdd(this, 1);
      if (!searchers.handOver(this, ticket)) {
        COMING.getAndAdd(this, -1);
        return;
      }
    }
  }

  /**
   * Searches a candidate.
   *
   * @return the lookup if it can be used for the next candidate; null when it holds an answer
   */
  private @Nullable Lookup search(int index, Lookup lookup) {
    boolean isFound = false;
    boolean reads = false;
    try {
      Candidate candidate = candidates.get(index);
      reads = !candidate.isInMemory();
      long start = reads ? ReadTimes.begin() : 0;
      isFound = candidate.search(lookup);
      searchers.readTimes().end(start);
    } catch (Throwable e) {
      failures[index] = e; // for the caller, if it counts
    }
    found[index] = isFound ? lookup : null;
    wasRead[index] = reads;
    long bit = 1L << index;
    if (isFound || failures[index] != null) {
      DECISIVE.getAndBitwiseOr(this, bit);
    }
    long before = (long) ANSWERED.getAndBitwiseOr(this, bit);
    if ((before & bit) != 0) {
      discard(index);
    } else if (Thread.currentThread() != caller && isSettled()) {
      LockSupport.unpark(caller);
    }
    return isFound ? null : lookup;
  }

  private void discard(int index) {
    Lookup lookup = found[index];
    if (lookup != null) {
      lookup.release();
    }
    if (wasRead[index]) {
      searchers.counters().add(Metric.USELESS_READS, 1);
    }
  }

  private void discardAll(long set) {
    for (long left = set; left != 0; left &= left - 1) {
      discard(Long.numberOfTrailingZeros(left));
    }
  }

  private boolean take(long answers, Lookup into) {
    searchers.counters().add(Metric.SEARCHED_SSTS, Long.bitCount(claimed));
    long hit = Long.lowestOneBit(decisive & answers);
    if (hit == 0) {
      return false;
    }
    discardAll(answers & ~(hit | hit - 1));
    int winner = Long.numberOfTrailingZeros(hit);
    Throwable failure = failures[winner];
    if (failure != null) {
      throw Failures.unchecked(failure);
    }
    Lookup answer = found[winner];
    if (answer == null) {
      throw new IllegalStateException("candidate " + winner + " has no answer");
    }
    into.take(answer);
    return true;
  }
}
