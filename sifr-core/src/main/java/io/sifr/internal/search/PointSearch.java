package io.sifr.internal.search;

import io.sifr.config.SearchScheme;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.forest.Candidates;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstReader;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.List;

/**
 * Asks all places of a view for the newest version of a key: the write buffers, then of each tree
 * the one SST whose range holds the key. The most believed place that knows the key has the answer:
 * by I1 no later place can hold a newer version.
 *
 * <p>{@code SERIAL} and {@code ADAPTIVE} ask tree after tree in one loop; {@code ADAPTIVE} leaves
 * it at the first block that is not in memory. The other schemes gather all candidates first.
 *
 * <p>The caller is inside a read epoch, so that no SST of the view can be unmapped. Thread-safe.
 */
public final class PointSearch {
  /** Some place holds the key. */
  public static final int FOUND = -1;

  /** No place does. */
  public static final int NOT_FOUND = -2;

  private final Searchers searchers;
  private final BlockAccess access;

  /** A search that may use those threads. */
  public PointSearch(Searchers searchers, BlockAccess access) {
    this.searchers = searchers;
    this.access = access;
  }

  BlockAccess access() {
    return access;
  }

  Searchers searchers() {
    return searchers;
  }

  /** See {@link Searchers#handOver}. */
  public boolean handOver(Searchers.Search work, int ticket) {
    return searchers.handOver(work, ticket);
  }

  /**
   * Finds the newest version of a key with a sequence number of at most {@code sequence}.
   *
   * @param ticket the caller's, who is inside the epoch
   * @return whether there is one; it may be a tombstone
   */
  public boolean find(
      SearchScheme scheme,
      StoreView view,
      byte[] key,
      int offset,
      int length,
      long sequence,
      int ticket,
      Lookup into) {
    if (findInBuffers(view, key, offset, length, sequence, into)) {
      return true;
    }
    return findFrom(0, scheme, view, key, offset, length, sequence, ticket, into);
  }

  /**
   * The part of {@link #find} that needs no I/O.
   *
   * @return {@link #FOUND}, {@link #NOT_FOUND}, or the tree to go on with in {@link #findFrom}
   */
  public int findInMemory(
      StoreView view, byte[] key, int offset, int length, long sequence, Lookup into) {
    return findInBuffers(view, key, offset, length, sequence, into)
        ? FOUND
        : findInTrees(view, 0, Reads.NONE, key, offset, length, sequence, into);
  }

  static boolean findInBuffers(
      StoreView view, byte[] key, int offset, int length, long sequence, Lookup into) {
    if (view.active().memtable().get(key, offset, length, sequence, into)) {
      return true;
    }
    List<WriteBuffer> immutables = view.immutables();
    for (int i = 0; i < immutables.size(); i++) {
      if (immutables.get(i).memtable().get(key, offset, length, sequence, into)) {
        return true;
      }
    }
    return false;
  }

  /** What the streaming loop does with blocks and filters that are not in memory. */
  private enum Reads {
    /** It stops there. */
    NONE(true),
    /** It stops at blocks. Filters are read: they spare blocks. */
    FILTERS(true),
    /** It reads both, without even asking whether blocks are in memory. */
    ALL(false),
    /** It reads both, and measures how long blocks take. */
    TIMED(false);

    private final boolean stops;

    Reads(boolean stops) {
      this.stops = stops;
    }
  }

  /** Tree after tree; the result is that of {@link #findInMemory}. */
  private int findInTrees(
      StoreView view,
      int first,
      Reads reads,
      byte[] key,
      int offset,
      int length,
      long sequence,
      Lookup into) {
    Candidates candidates = view.forest().candidates();
    int cell = candidates.cell(key, offset, length);
    long hash = candidates.trees() == 0 ? 0 : KeyHash.of(key, offset, length);
    int searched = 0;
    int end = NOT_FOUND;
    for (int i = first; i < candidates.trees() && end == NOT_FOUND; i++) {
      Sst sst = candidates.find(i, cell, key, offset, length);
      if (sst != null && reads == Reads.NONE && !sst.hasFilterInMemory()) {
        end = i;
      } else if (sst != null && sst.mayHold(hash)) {
        SstReader reader = reads.stops ? sst.readerIfOpen() : sst.reader();
        if (reader == null) {
          end = i;
          break;
        }
        int block = reader.find(key, offset, length, sequence);
        boolean isRead = reads != Reads.ALL && !access.isInMemory(reader, block);
        if (isRead && reads.stops) {
          end = i;
        } else {
          searched++;
          long start = isRead ? ReadTimes.begin() : 0;
          if (access.search(reader, block, key, offset, length, sequence, into)) {
            end = FOUND;
          } else {
            sst.missed();
          }
          searchers.readTimes().end(start);
        }
      }
    }
    searchers.counters().searched(searched);
    return end;
  }

  /**
   * The rest of {@link #find}, of which it is known that nothing above the tree holds the key.
   *
   * @param tree place in the view's trees by priority
   */
  public boolean findFrom(
      int tree,
      SearchScheme scheme,
      StoreView view,
      byte[] key,
      int offset,
      int length,
      long sequence,
      int ticket,
      Lookup into) {
    if (scheme == SearchScheme.SERIAL) {
      return findInTrees(view, tree, Reads.ALL, key, offset, length, sequence, into) == FOUND;
    }
    if (scheme == SearchScheme.ADAPTIVE) {
      int unread = findInTrees(view, tree, Reads.FILTERS, key, offset, length, sequence, into);
      if (unread < 0) {
        return unread == FOUND;
      }
      searchers.callerBegins();
      try {
        return readFrom(unread, view, key, offset, length, sequence, ticket, into);
      } finally {
        searchers.callerEnds();
      }
    }
    CandidateList all = new CandidateList();
    Forest forest = view.forest();
    Candidates candidates = forest.candidates();
    int cell = candidates.cell(key, offset, length);
    long hash = KeyHash.of(key, offset, length);
    int stage = 1;
    int endOfStage = forest.stage(1).size();
    for (int i = tree; i < candidates.trees(); i++) {
      while (i >= endOfStage) {
        endOfStage += forest.stage(++stage).size();
      }
      Sst sst = candidates.find(i, cell, key, offset, length);
      if (sst != null && sst.mayHold(hash)) {
        all.add(new SstCandidate(access, sst, key, offset, length, sequence), stage, 1);
      }
    }
    return all.find(scheme, 1, searchers, ticket, into);
  }

  /** What {@code ADAPTIVE} does when the first block that counts is not in memory. */
  private boolean readFrom(
      int tree,
      StoreView view,
      byte[] key,
      int offset,
      int length,
      long sequence,
      int ticket,
      Lookup into) {
    if (!searchers.isWorthHandingOver()) {
      return findInTrees(view, tree, Reads.TIMED, key, offset, length, sequence, into) == FOUND;
    }
    CandidateList unread = new CandidateList();
    KnownAnswer below = new KnownAnswer();
    try {
      Forest forest = view.forest();
      Candidates candidates = forest.candidates();
      int cell = candidates.cell(key, offset, length);
      long hash = KeyHash.of(key, offset, length);
      for (int i = tree; i < candidates.trees() && !below.isKnown(); i++) {
        Sst sst = candidates.find(i, cell, key, offset, length);
        if (sst != null && sst.mayHold(hash)) {
          Candidate candidate = new SstCandidate(access, sst, key, offset, length, sequence);
          if (candidate.isInMemory()) {
            below.search(candidate);
            searchers.counters().searched(1);
          } else {
            long entries = forest.byPriority().get(i).entries();
            unread.add(candidate, 0, (double) Math.max(1, entries));
          }
        }
      }
      // When the key is known to lie below, nearly all of them will have to say no.
      double share =
          below.isKnown() ? 1 : AdaptivePolicy.share(searchers.idle(), searchers.count());
      return unread.find(SearchScheme.ADAPTIVE, share, searchers, ticket, into) || below.take(into);
    } finally {
      below.release();
    }
  }
}
