package io.sifr.internal.search;

import io.sifr.config.SearchScheme;
import io.sifr.error.SifrException;
import io.sifr.event.Metric;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Resolution;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.forest.Candidates;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.search.Searchers.BlockAccess;
import io.sifr.internal.search.Searchers.ReadTimes;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Searches all sources of a view for the newest version of a key: the write buffers, then in each
 * tree the one SST whose range includes the key. The first source that holds the key has the newest
 * version: by I1 no later source can hold a newer one. The same is true of the first source with a
 * range tombstone that covers the key, which is then as good as deleted in it. What the version
 * means, and whether older ones matter, is decided by a {@link Resolution}; older versions are
 * searched for in the same way, one after another.
 *
 * <p>{@code SERIAL} and {@code ADAPTIVE} search tree after tree in one loop; {@code ADAPTIVE}
 * leaves the loop at the first block that is not in memory. The other schemes gather all candidates
 * first.
 *
 * <p>The caller is inside a read epoch, so that no SST of the view can be unmapped. Thread-safe.
 */
public final class PointSearch {
  /** Some source holds the key. */
  public static final int FOUND = -1;

  /** No source does. */
  public static final int NOT_FOUND = -2;

  // Sources by priority: the write buffers are one, each tree is one.
  private static final int BUFFERS = 0;
  private static final int FIRST_TREE = 1;

  private final Searchers searchers;
  private final BlockAccess access;

  /**
   * A search.
   *
   * @param searchers the search threads
   * @param access how blocks are accessed
   */
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
   * Resolves a key.
   *
   * @param probe the key, and the newest visible sequence number; receives the answer
   * @param ticket the caller's ticket of the epoch that it is inside
   * @return whether some source holds the key; the answer is its value or a tombstone
   */
  public boolean find(SearchScheme scheme, StoreView view, Lookup probe, int ticket) {
    return findFrom(BUFFERS, scheme, view, probe, ticket);
  }

  /**
   * The part of {@link #find} that needs no I/O.
   *
   * @return {@link #FOUND}, {@link #NOT_FOUND}, or the source to continue from with {@link
   *     #findFrom}
   */
  public int findInMemory(StoreView view, Lookup probe) {
    int end = findInBuffers(view, probe) ? FOUND : findInTrees(FIRST_TREE, Reads.NONE, view, probe);
    return end == FOUND && !Resolution.isPlain(probe.trailer()) ? BUFFERS : end;
  }

  /**
   * Completes {@link #find}, given that no source before that one holds the key.
   *
   * @param source what {@link #findInMemory} returned
   */
  public boolean findFrom(
      int source, SearchScheme scheme, StoreView view, Lookup probe, int ticket) {
    return findVersion(source, scheme, view, probe, ticket)
        && (Resolution.isPlain(probe.trailer()) || resolve(source, scheme, view, probe, ticket));
  }

  /** Continues with older versions as long as they matter; the newest was found. */
  private boolean resolve(
      int source, SearchScheme scheme, StoreView view, Lookup probe, int ticket) {
    long newest = probe.sequence();
    if (probe.takesReferences() && SeparatedKind.is(probe.trailer())) {
      byte[] key = Arrays.copyOfRange(probe.key(), probe.keyOffset(), keyEnd(probe));
      if (view.kinds().separated().reference(key, probe.copy()) == null) {
        probe.set(newest, null); // it has expired
      }
      return true;
    }
    Resolution resolution =
        new Resolution(view.kinds(), probe.key(), probe.keyOffset(), probe.keyLength());
    boolean more = true;
    while (more) {
      more =
          resolution.add(probe.trailer(), probe.copy())
              && probe.lookForOlder()
              && findVersion(source, scheme, view, probe, ticket);
    }
    probe.set(newest, resolution.value());
    return true;
  }

  private static int keyEnd(Lookup probe) {
    return probe.keyOffset() + probe.keyLength();
  }

  /** Finds the newest version that the probe needs. */
  private boolean findVersion(
      int source, SearchScheme scheme, StoreView view, Lookup probe, int ticket) {
    if (source == BUFFERS && findInBuffers(view, probe)) {
      return true;
    }
    int first = Math.max(source, FIRST_TREE);
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

  /** The treatment of blocks and filters that are not in memory by the streaming loop. */
  private enum Reads {
    /** Stops at both. */
    NONE(true),
    /** Stops at blocks. Filters are read, as they save reads of blocks. */
    FILTERS(true),
    /** Reads both, without checking whether blocks are in memory. */
    ALL(false),
    /** Reads both, and measures how long blocks take. */
    TIMED(false);

    private final boolean stops;

    Reads(boolean stops) {
      this.stops = stops;
    }
  }

  /**
   * Searches tree after tree; the result is that of {@link #findInMemory}. The loop is what a get
   * runs for each tree that does not hold its key, so the search of an SST is not a part of it: the
   * compiler translates a short loop better.
   */
  private int findInTrees(int first, Reads reads, StoreView view, Lookup probe) {
    Candidates candidates = view.forest().candidates();
    byte[] key = probe.key();
    int offset = probe.keyOffset();
    int length = probe.keyLength();
    int cell = candidates.cell(key, offset, length);
    long hash = candidates.trees() == 0 ? 0 : KeyHash.of(key, offset, length);
    int searchedBefore = probe.searchedBlocks();
    int asked = 0;
    int end = NOT_FOUND;
    for (int i = first - FIRST_TREE; i < candidates.trees() && end == NOT_FOUND; i++) {
      Sst sst = candidates.find(i, cell, key, offset, length);
      if (sst != null) {
        asked++;
        end =
            sst.hasRangeTombstones()
                ? findUnlessDeleted(sst, hash, FIRST_TREE + i, reads, probe)
                : findIn(sst, hash, FIRST_TREE + i, reads, probe);
      }
    }
    searchers.counters().add(Metric.SEARCHED_SSTS, probe.searchedBlocks() - searchedBefore);
    probe.searched(end < 0 ? asked : asked - 1, 0); // the last one is searched again
    return end;
  }

  /** Searches one SST with range tombstones. */
  private int findUnlessDeleted(Sst sst, long hash, int source, Reads reads, Lookup probe) {
    if (reads == Reads.NONE && !sst.hasRangeTombstonesInMemory()) {
      return source;
    }
    long deleted = RangeDeletes.covering(sst, probe);
    int end = findIn(sst, hash, source, reads, probe);
    return end < 0 && RangeDeletes.settle(deleted, end == FOUND, probe) ? FOUND : end;
  }

  /** Searches one SST without regard to its range tombstones. */
  private int findIn(Sst sst, long hash, int source, Reads reads, Lookup probe) {
    if (reads == Reads.NONE && !hasFilterInMemory(sst, hash)) {
      return source;
    }
    return sst.mayHold(hash) ? searchBlock(sst, source, reads, probe) : NOT_FOUND;
  }

  private static boolean hasFilterInMemory(Sst sst, long hash) {
    SstReader open = sst.readerIfOpen();
    return open != null && open.hasFilterInMemory(hash);
  }

  private int searchBlock(Sst sst, int source, Reads reads, Lookup probe) {
    SstReader reader = reads.stops ? sst.readerIfOpen() : sst.reader();
    if (reader == null) {
      return source;
    }
    long block = BlockAccess.block(reader, probe);
    boolean isRead = reads != Reads.ALL && !access.isInMemory(reader, block);
    if (isRead && reads.stops) {
      return source;
    }
    probe.searched(0, 1);
    long start = isRead ? ReadTimes.begin() : 0;
    boolean isFound = access.search(reader, block, probe, probe);
    if (!isFound) {
      reader.missed();
    }
    searchers.readTimes().end(start);
    return isFound ? FOUND : NOT_FOUND;
  }

  /** Continues {@code ADAPTIVE} when the first relevant block is not in memory. */
  private boolean readFrom(int source, StoreView view, Lookup probe, int ticket) {
    searchers.callerBegins();
    try {
      boolean atOnce = searchers.announces() || searchers.isWorthHandingOver();
      return atOnce
          ? readInParallel(source, view, probe, ticket)
          : findInTrees(source, Reads.TIMED, view, probe) == FOUND;
    } finally {
      searchers.callerEnds();
    }
  }

  private boolean readInParallel(int source, StoreView view, Lookup probe, int ticket) {
    KnownAnswer below = new KnownAnswer();
    try {
      CandidateList unread = gather(source, view, probe, below);
      // When the key is known to be below, most likely none of these holds it, and all must be
      // read.
      double share = below.isKnown() ? 1 : searchers.shareAhead();
      return unread.find(SearchScheme.ADAPTIVE, share, searchers, ticket, probe)
          || below.take(probe);
    } finally {
      below.release();
    }
  }

  /**
   * The candidates for a query.
   *
   * @param known searches those in memory, until one gives a result; null to gather them all
   */
  private CandidateList gather(
      int source, StoreView view, Lookup probe, @Nullable KnownAnswer known) {
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
    for (int i = source - FIRST_TREE; i < candidates.trees(); i++) {
      while (i >= endOfStage) {
        endOfStage += forest.stage(++stage).size();
      }
      Sst sst = candidates.find(i, cell, key, offset, length);
      Candidate candidate = sst == null ? null : candidate(sst, hash, probe);
      probe.searched(sst == null ? 0 : 1, candidate == null ? 0 : 1);
      if (candidate != null) {
        if (known == null || !candidate.isInMemory()) {
          long entries = forest.byPriority().get(i).entries();
          gathered.add(candidate, stage, (double) Math.max(1, entries));
        } else {
          searchers.counters().add(Metric.SEARCHED_SSTS, 1);
          known.search(candidate);
          if (known.isKnown()) {
            break;
          }
        }
        if (candidate.endsSearch()) {
          break;
        }
      }
    }
    return gathered;
  }

  private @Nullable Candidate candidate(Sst sst, long hash, Lookup probe) {
    long deleted = 0;
    if (sst.hasRangeTombstones()) {
      try {
        deleted = RangeDeletes.covering(sst, probe);
      } catch (SifrException e) {
        return new SstCandidate(access, sst, probe, false); // the search of it will say so
      }
    }
    if (sst.mayHold(hash)) {
      return new SstCandidate(access, sst, probe, deleted > 0);
    }
    return deleted == 0 ? null : new CoveredCandidate(deleted);
  }

  /**
   * The block of an SST that may hold a key. The SST is opened by the thread that searches it: a
   * failure to open it is a failure of this candidate, and matters only if its answer does.
   *
   * <p>The probe is that of the query, and the key is the user's own array. Both may change once
   * the query is answered, while a searcher is still at a candidate that is no longer needed; the
   * result of that searcher is discarded.
   */
  private static final class SstCandidate implements Candidate {
    private final BlockAccess access;
    private final Sst sst;
    private final Lookup probe;
    private final boolean isCovered;

    /**
     * @param isCovered whether a range tombstone of the SST is known to cover the key
     */
    SstCandidate(BlockAccess access, Sst sst, Lookup probe, boolean isCovered) {
      this.access = access;
      this.sst = sst;
      this.probe = probe;
      this.isCovered = isCovered;
    }

    @Override
    public boolean endsSearch() {
      return isCovered;
    }

    @Override
    public boolean isInMemory() {
      SstReader reader = sst.readerIfOpen();
      return reader != null && access.isInMemory(reader, BlockAccess.block(reader, probe));
    }

    @Override
    public boolean announce() {
      SstReader reader = sst.readerIfOpen();
      return reader != null && access.announce(reader, BlockAccess.block(reader, probe));
    }

    @Override
    public boolean search(Lookup into) {
      SstReader reader = sst.reader();
      long deleted = sst.hasRangeTombstones() ? RangeDeletes.covering(sst, probe) : 0;
      boolean isFound = access.search(reader, BlockAccess.block(reader, probe), probe, into);
      if (!isFound) {
        reader.missed();
      }
      return RangeDeletes.settle(deleted, isFound, into);
    }
  }
}
