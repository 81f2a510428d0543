package io.sifr.internal.search;

import io.sifr.config.SearchScheme;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.Seeker;
import io.sifr.internal.sst.ReadHelper;
import io.sifr.internal.util.ReadEpochs;

/**
 * How range queries are done. What other threads do of them: the first reads of all trees (TPDS
 * §4.2, "Range Query"), and in a long one those of what comes next in each tree. Thread-safe.
 *
 * @param kinds what entries mean
 * @param seeker leads the walks of the trees to a place
 * @param helper reads ahead of each of them
 */
public record RangePlan(EntryKinds kinds, Seeker seeker, ReadHelper helper) {
  /** The caller does everything. */
  public static final RangePlan ALONE = alone(EntryKinds.STANDARD);

  /**
   * The plan of a scheme: nobody helps with {@code SERIAL}, searchers that are idle with {@code
   * ADAPTIVE} when reads are slow, and with the others always.
   */
  public static RangePlan of(
      EntryKinds kinds, SearchScheme scheme, Searchers searchers, ReadEpochs epochs) {
    if (scheme == SearchScheme.SERIAL) {
      return alone(kinds);
    }
    boolean weighsCost = scheme == SearchScheme.ADAPTIVE;
    return new RangePlan(
        kinds,
        new ParallelSeek(searchers, epochs, weighsCost),
        read -> searchers.canHelp(weighsCost) && handOver(read, searchers, epochs));
  }

  private static RangePlan alone(EntryKinds kinds) {
    return new RangePlan(kinds, Seeker.ONE_BY_ONE, ReadHelper.NONE);
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
