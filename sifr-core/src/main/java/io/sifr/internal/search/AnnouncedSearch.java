package io.sifr.internal.search;

import io.sifr.event.Metric;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.search.Searchers.ReadTimes;
import java.util.List;

/**
 * A point query whose candidates are searched one after the other by the caller, while the system
 * reads ahead what was announced to it: those that other threads would search in a {@link Query}.
 * It is a serial search (I8), of which the announcements change nothing but the time.
 *
 * <p>For one thread, once.
 */
final class AnnouncedSearch {
  private final List<? extends Candidate> candidates;
  private final SearchPlan plan;
  private final Searchers searchers;

  /** Bit i for the i-th candidate. */
  private long announced;

  private long start;

  /**
   * @param candidates by priority, 1 to {@link Query#MOST_CANDIDATES}
   * @param plan which of them are announced ahead of the known answers
   */
  AnnouncedSearch(List<? extends Candidate> candidates, SearchPlan plan, Searchers searchers) {
    this.candidates = candidates;
    this.plan = plan;
    this.searchers = searchers;
  }

  /**
   * Announces the first ones.
   *
   * @return false when it is not known of all what has to be read: then they are not to be searched
   *     one after the other
   */
  boolean begin() {
    start = ReadTimes.begin();
    return announce(plan.allowed(0, 0) | 1);
  }

  private boolean announce(long set) {
    boolean all = true;
    long left = set & ~announced & (-1L >>> (Long.SIZE - candidates.size()));
    announced |= left;
    searchers.counters().add(Metric.ANNOUNCED_READS, Long.bitCount(left));
    for (; left != 0; left &= left - 1) {
      all &= candidates.get(Long.numberOfTrailingZeros(left)).announce();
    }
    return all;
  }

  /**
   * Finds the answer; {@link #begin} was called.
   *
   * @param into receives it; unchanged when there is none
   * @return whether there is one
   * @throws RuntimeException what a candidate threw
   */
  boolean find(Lookup into) {
    int searched = 0;
    boolean isFound = false;
    try {
      while (!isFound && searched < candidates.size()) {
        isFound = search(searched, into);
        searched++;
      }
    } finally {
      searchers.counters().add(Metric.SEARCHED_SSTS, searched);
      long unused = searched == Long.SIZE ? 0 : announced >>> searched;
      searchers.counters().add(Metric.USELESS_READS, Long.bitCount(unused));
    }
    return isFound;
  }

  /** Only a read that was announced just now takes as long as one. */
  private boolean search(int index, Lookup into) {
    long candidate = 1L << index;
    if ((announced & candidate) == 0) {
      start = ReadTimes.begin();
    }
    var unused = announce(plan.allowed(announced, candidate - 1) | candidate);
    boolean isFound = candidates.get(index).search(into);
    searchers.readTimes().end(start);
    start = 0;
    return isFound;
  }
}
