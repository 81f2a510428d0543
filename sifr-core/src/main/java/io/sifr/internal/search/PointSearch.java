package io.sifr.internal.search;

import io.sifr.config.SearchScheme;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Resolution;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.forest.Candidates;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstReader;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks all places of a view for the newest version of a key: the write buffers, then of each tree
 * the one SST whose range holds the key. The first place that knows the key has it: by I1 no later
 * place can hold a newer version. What the version means, and whether older ones matter, is said by
 * a {@link Resolution}; these are looked for in the same way, each as the newest that is older.
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

  // Places by priority: the write buffers are one, each tree is one.
  private static final int BUFFERS = 0;
  private static final int FIRST_TREE = 1;

  private final EntryKinds kinds;
  private final Searchers searchers;
  private final BlockAccess access;

  /**
   * A search.
   *
   * @param kinds what entries mean
   * @param searchers the threads it may use
   */
  public PointSearch(EntryKinds kinds, Searchers searchers, BlockAccess access) {
    this.kinds = kinds;
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
   * Finds out what a key comes to.
   *
   * @param probe the key, and the newest sequence number that counts; the answer is put there
   * @param ticket the caller's, who is inside the epoch
   * @return whether some place knows the key; the answer is its value or a tombstone
   */
  public boolean find(SearchScheme scheme, StoreView view, Lookup probe, int ticket) {
    return findFrom(BUFFERS, scheme, view, probe, ticket);
  }

  /**
   * The part of {@link #find} that needs no I/O.
   *
   * @return {@link #FOUND}, {@link #NOT_FOUND}, or the place to go on from with {@link #findFrom}
   */
  public int findInMemory(StoreView view, Lookup probe) {
    int end = findInBuffers(view, probe) ? FOUND : findInTrees(FIRST_TREE, Reads.NONE, view, probe);
    return end == FOUND && !Resolution.isPlain(probe.trailer()) ? BUFFERS : end;
  }

  /**
   * The rest of {@link #find}, of which it is known that nothing above that place holds the key.
   *
   * @param place what {@link #findInMemory} returned
   */
  public boolean findFrom(
      int place, SearchScheme scheme, StoreView view, Lookup probe, int ticket) {
    return findVersion(place, scheme, view, probe, ticket)
        && (Resolution.isPlain(probe.trailer()) || resolve(place, scheme, view, probe, ticket));
  }

  /** Goes on to older versions as long as they matter; the newest was found. */
  private boolean resolve(
      int place, SearchScheme scheme, StoreView view, Lookup probe, int ticket) {
    long newest = probe.sequence();
    Resolution resolution = new Resolution(kinds);
    boolean more = true;
    while (more) {
      more =
          resolution.add(probe.trailer(), probe.copy())
              && probe.lookForOlder()
              && findVersion(place, scheme, view, probe, ticket);
    }
    probe.set(newest, resolution.value());
    return true;
  }

  /** Finds the newest version of a key that the probe looks for. */
  private boolean findVersion(
      int place, SearchScheme scheme, StoreView view, Lookup probe, int ticket) {
    if (place == BUFFERS && findInBuffers(view, probe)) {
      return true;
    }
    int first = Math.max(place, FIRST_TREE);
    return switch (scheme) {
      case SERIAL -> findInTrees(first, Reads.ALL, view, probe) == FOUND;
      case ADAPTIVE -> {
        int unread = findInTrees(first, Reads.FILTERS, view, probe);
        yield unread == FOUND || (unread != NOT_FOUND && readFrom(unread, view, probe, ticket));
      }
      case FIXED_COUNT, PRIORITY_AWARE, LAST_STAGE ->
          gather(first, view, probe, null).find(scheme, 1, searchers, ticket, probe);
    };
  }

  static boolean findInBuffers(StoreView view, Lookup probe) {
    if (isIn(view.active(), probe)) {
      return true;
    }
    List<WriteBuffer> immutables = view.immutables();
    for (int i = 0; i < immutables.size(); i++) {
      if (isIn(immutables.get(i), probe)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isIn(WriteBuffer buffer, Lookup probe) {
    return buffer
        .memtable()
        .get(probe.key(), probe.keyOffset(), probe.keyLength(), probe.sequence(), probe);
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
  private int findInTrees(int first, Reads reads, StoreView view, Lookup probe) {
    Candidates candidates = view.forest().candidates();
    byte[] key = probe.key();
    int offset = probe.keyOffset();
    int length = probe.keyLength();
    int cell = candidates.cell(key, offset, length);
    long hash = candidates.trees() == 0 ? 0 : KeyHash.of(key, offset, length);
    int searched = 0;
    int end = NOT_FOUND;
    for (int i = first - FIRST_TREE; i < candidates.trees() && end == NOT_FOUND; i++) {
      Sst sst = candidates.find(i, cell, key, offset, length);
      if (sst != null && reads == Reads.NONE && !sst.hasFilterInMemory()) {
        end = FIRST_TREE + i;
      } else if (sst != null && sst.mayHold(hash)) {
        SstReader reader = reads.stops ? sst.readerIfOpen() : sst.reader();
        if (reader == null) {
          end = FIRST_TREE + i;
          break;
        }
        int block = BlockAccess.block(reader, probe);
        boolean isRead = reads != Reads.ALL && !access.isInMemory(reader, block);
        if (isRead && reads.stops) {
          end = FIRST_TREE + i;
        } else {
          searched++;
          long start = isRead ? ReadTimes.begin() : 0;
          if (access.search(reader, block, probe, probe)) {
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

  /** What {@code ADAPTIVE} does when the first block that counts is not in memory. */
  private boolean readFrom(int place, StoreView view, Lookup probe, int ticket) {
    searchers.callerBegins();
    try {
      return searchers.isWorthHandingOver()
          ? readInParallel(place, view, probe, ticket)
          : findInTrees(place, Reads.TIMED, view, probe) == FOUND;
    } finally {
      searchers.callerEnds();
    }
  }

  private boolean readInParallel(int place, StoreView view, Lookup probe, int ticket) {
    KnownAnswer below = new KnownAnswer();
    try {
      CandidateList unread = gather(place, view, probe, below);
      // When the key is known to lie below, nearly all of them will have to say no.
      double share =
          below.isKnown() ? 1 : AdaptivePolicy.share(searchers.idle(), searchers.count());
      return unread.find(SearchScheme.ADAPTIVE, share, searchers, ticket, probe)
          || below.take(probe);
    } finally {
      below.release();
    }
  }

  /**
   * The candidates for a query.
   *
   * @param known searched in place of those in memory, until it knows; null to gather them all
   */
  private CandidateList gather(
      int place, StoreView view, Lookup probe, @Nullable KnownAnswer known) {
    CandidateList gathered = new CandidateList();
    Forest forest = view.forest();
    Candidates candidates = forest.candidates();
    byte[] key = probe.key();
    int offset = probe.keyOffset();
    int length = probe.keyLength();
    int cell = candidates.cell(key, offset, length);
    long hash = KeyHash.of(key, offset, length);
    int stage = 1;
    int endOfStage = forest.stage(1).size();
    for (int i = place - FIRST_TREE; i < candidates.trees(); i++) {
      while (i >= endOfStage) {
        endOfStage += forest.stage(++stage).size();
      }
      Sst sst = candidates.find(i, cell, key, offset, length);
      if (sst != null && sst.mayHold(hash)) {
        Candidate candidate = new SstCandidate(access, sst, probe);
        if (known == null || !candidate.isInMemory()) {
          long entries = forest.byPriority().get(i).entries();
          gathered.add(candidate, stage, (double) Math.max(1, entries));
        } else {
          searchers.counters().searched(1);
          known.search(candidate);
          if (known.isKnown()) {
            break;
          }
        }
      }
    }
    return gathered;
  }
}
