package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.util.Failures;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One point query whose candidates are searched by several threads: the query object of SoCC §4.3,
 * without its lock. The caller searches as well, and waits only while all that is left to do is
 * being done by others.
 *
 * <p>I8: the answer is that of a serial search. It is settled when a candidate has been found to
 * hold the key, or has failed, and every candidate above it has said no; or when all have said no.
 * What is below that candidate counts for nothing, be it an answer or a failure.
 *
 * <p><b>State.</b> Three sets of candidates, bit i for the i-th: claimed ones, of which each is
 * somebody's to search; answered ones; and decisive ones, that hold the key or failed. A searcher
 * writes what it has found, then the decisive bit, then the answered bit; whoever sees the answered
 * bit sees the rest. All three only grow, so each thread may judge by what it sees: what it does
 * not see yet can make it wait, never err. Who answers looks whether he has settled the query, and
 * whoever answers last sees all answers.
 *
 * <p>When the caller leaves, he sets all answered bits. A searcher that finds its bit set has come
 * too late; what it has found is its own to give back, all else is the caller's.
 */
final class Query implements Searchers.Search {
  /** Candidates a query can have. */
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

  // Each place is written by who has claimed the candidate, before its answered bit.
  private final @Nullable Lookup[] found;
  private final @Nullable Throwable[] failures;
  private final boolean[] wasRead;

  private volatile long claimed;
  private volatile long answered;
  private volatile long decisive;

  /** Searchers that were called and have not come yet. */
  private volatile int coming;

  private volatile boolean callerWaits;

  /**
   * @param candidates by priority, 1 to {@link #MOST_CANDIDATES}
   * @param plan which of them may be searched when
   * @param ticket the caller's, who is inside the epoch
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
   * @param into where it is put; unchanged when there is none
   * @return whether there is one
   * @throws RuntimeException what the candidate threw that a serial search would have failed at
   */
  boolean find(Lookup into) {
    boolean interrupted = false;
    try {
      search(claim());
      while (!isSettled()) {
        callerWaits = true;
        if (!searchers.lookOut(() -> isSettled() || claimable(claimed) != 0)) {
          LockSupport.park(this);
        }
        callerWaits = false;
        interrupted |= Thread.interrupted();
        search(claim());
      }
    } catch (Throwable e) {
      discardAll(leave()); // no memory, most likely
      throw e;
    } finally {
      if (interrupted) {
        caller.interrupt();
      }
    }
    return take(leave(), into);
  }

  /** The answers there are; later ones are not the caller's any more. */
  private long leave() {
    return (long) ANSWERED.getAndBitwiseOr(this, all);
  }

  /** The part of a searcher that was handed the query. */
  @Override
  public void run(int itsTicket) {
    int first = claim();
    COMING.getAndAdd(this, -1); // in this order, or somebody else would be called for what it takes
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

  /** Takes the most believed candidate that may be searched now; -1 when there is none. */
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
    long answers = answered; // before the decisive ones, which are written before
    long hit = Long.lowestOneBit(decisive & answers);
    long needed = hit == 0 ? all : hit - 1;
    return (needed & ~answers) == 0;
  }

  /** Gets idle threads for what this one leaves: the caller if he waits, then searchers. */
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
   * @return a lookup to use for the next one; null when this one holds an answer
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
      searchers.counters().readInVain();
    }
  }

  private void discardAll(long set) {
    for (long left = set; left != 0; left &= left - 1) {
      discard(Long.numberOfTrailingZeros(left));
    }
  }

  private boolean take(long answers, Lookup into) {
    searchers.counters().searched(Long.bitCount(claimed));
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
