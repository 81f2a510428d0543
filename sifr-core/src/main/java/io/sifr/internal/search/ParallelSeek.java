package io.sifr.internal.search;

import io.sifr.event.Metric;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.MergingIterator.Seeker;
import io.sifr.internal.search.Searchers.ReadTimes;
import io.sifr.internal.util.Failures;
import io.sifr.internal.view.ReadEpochs;
import java.util.ArrayList;
import java.util.List;
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
  public void seek(EntryIterator[] iterators, EntryIterator.Target to) {
    int read = 0;
    while (read < iterators.length && iterators[read].isInMemory(to)) {
      read++;
    }
    if (read == iterators.length) {
      OverlappedSeek.SEEKER.seek(iterators, to); // nearly always so where data is mapped
    } else {
      seekInParallel(iterators, read, to);
    }
  }

  /**
   * @param first index of the first one that has to read a block
   */
  private void seekInParallel(EntryIterator[] iterators, int first, EntryIterator.Target to) {
    EntryIterator[] slowestFirst = new EntryIterator[iterators.length];
    int unread = 0;
    int read = iterators.length;
    for (int i = 0; i < iterators.length; i++) {
      boolean isRead = i < first || (i > first && iterators[i].isInMemory(to));
      slowestFirst[isRead ? --read : unread++] = iterators[i];
    }
    int ticket = epochs.enter(); // for the threads that are handed a part of it
    searchers.callerBegins();
    try {
      seek(slowestFirst, unread, to, ticket);
    } finally {
      searchers.callerEnds();
      epochs.exit(ticket);
    }
  }

  /**
   * @param iterators of which the first {@code unread} have to read blocks
   */
  private void seek(EntryIterator[] iterators, int unread, EntryIterator.Target to, int ticket) {
    boolean announced = weighsCost && searchers.announces() && announce(iterators, unread, to);
    int timed = announced ? 1 : unread; // the first one waits, while the system reads the others
    List<Piece> pieces = new ArrayList<>(iterators.length);
    for (int i = 0; i < iterators.length; i++) {
      pieces.add(new Piece(iterators[i], to, i < timed));
    }
    SharedWork.doAll(pieces, announced ? 0 : helpers(unread), searchers, ticket);
    for (Piece piece : pieces) {
      if (piece.failure != null) {
        throw Failures.unchecked(piece.failure);
      }
    }
  }

  /** Returns false when it is not known of all what has to be read. */
  private boolean announce(EntryIterator[] iterators, int unread, EntryIterator.Target to) {
    searchers.counters().add(Metric.ANNOUNCED_READS, unread);
    boolean all = true;
    for (int i = 0; i < unread; i++) {
      all &= iterators[i].announce(to);
    }
    return all;
  }

  private int helpers(int unread) {
    return searchers.canHelp(weighsCost) ? Math.min(unread - 1, searchers.idle()) : 0;
  }

  /** The seek of one iterator, by any thread. */
  private final class Piece implements Runnable {
    private final EntryIterator iterator;
    private final EntryIterator.Target to;
    private final boolean reads;
    private @Nullable Throwable failure;

    private Piece(EntryIterator iterator, EntryIterator.Target to, boolean reads) {
      this.iterator = iterator;
      this.to = to;
      this.reads = reads;
    }

    @Override
    public void run() {
      try {
        long start = reads ? ReadTimes.begin() : 0;
        var unused = iterator.seek(to);
        searchers.readTimes().end(start);
      } catch (Throwable e) {
        failure = e; // for the caller
      }
    }
  }
}
