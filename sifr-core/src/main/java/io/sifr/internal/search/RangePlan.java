package io.sifr.internal.search;

import io.sifr.config.SearchScheme;
import io.sifr.internal.entry.MergingIterator.Seeker;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.view.ReadEpochs;

/**
 * The reads of a range query that other threads do: the first reads of all trees (TPDS §4.2, "Range
 * Query"), and in a long scan the reads ahead in each tree. Thread-safe.
 *
 * @param seeker positions the iterators of the trees
 * @param helper reads ahead for each of them
 */
public record RangePlan(Seeker seeker, ReadAhead.Helper helper) {
  /** The caller does all reads. */
  public static final RangePlan ALONE = new RangePlan(OverlappedSeek.SEEKER, ReadAhead.Helper.NONE);

  /**
   * The plan of a scheme: no helpers with {@code SERIAL}, idle searchers if reads are slow with
   * {@code ADAPTIVE}, and always with the others.
   */
  public static RangePlan of(SearchScheme scheme, Searchers searchers, ReadEpochs epochs) {
    if (scheme == SearchScheme.SERIAL) {
      return ALONE;
    }
    boolean weighsCost = scheme == SearchScheme.ADAPTIVE;
    return new RangePlan(
        new ParallelSeek(searchers, epochs, weighsCost),
        read -> searchers.canHelp(weighsCost) && handOver(read, searchers, epochs));
  }

  private static boolean handOver(Runnable read, Searchers searchers, ReadEpochs epochs) {
    int ticket = epochs.enter();
    try {
      return searchers.handOver(itsTicket -> read.run(), ticket);
    } finally {
      epochs.exit(ticket);
    }
  }
}
