package io.sifr.internal.search;

import io.sifr.config.SearchScheme;
import io.sifr.event.Metric;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Resolution;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.forest.Candidates;
import io.sifr.internal.search.Searchers.BlockAccess;
import io.sifr.internal.search.Searchers.ReadTimes;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.util.Failures;
import io.sifr.internal.view.StoreView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Finds many keys in a view at one sequence number. The keys of one block are looked up together,
 * so that it is loaded once, and blocks that are not in memory are read in parallel.
 *
 * <p>Trees are searched in order of priority, only for keys without an answer, until there are
 * enough missing blocks to keep all searchers busy; then these are read. So with many keys there
 * are hardly any speculative reads, and with few keys no thread is idle. The answer for each key is
 * that of a serial search (I8): it is given by the first tree that holds the key or cannot be read.
 *
 * <p>The caller is inside a read epoch. For one thread, once.
 */
public final class MultiSearch {
  private static final int NOWHERE = Integer.MAX_VALUE;

  /** Stands for any block of an SST of which its searcher must read something else first. */
  private static final long NOT_FOUND_YET = SstReader.NOT_IN_MEMORY;

  private static final Object TOMBSTONE = new Object();

  /**
   * Stands for a version that does not settle its key, which is then resolved separately at the
   * end.
   */
  private static final Object UNRESOLVED = new Object();

  private final PointSearch search;
  private final Searchers searchers;
  private final BlockAccess access;
  private final StoreView view;
  private final Lookup[] probes;
  private final long[] hashes;
  private final long sequence;
  private final int ticket;

  /** The knowledge of each key: a value, {@link #TOMBSTONE}, {@link #UNRESOLVED}, or null. */
  private final @Nullable Object[] answers;

  /** The first tree that is known to give a result for a key. It only decreases. */
  private final AtomicIntegerArray firstTree;

  /**
   * @param keys distinct, in ascending order
   * @param ticket the caller's ticket of the epoch that it is inside
   */
  public MultiSearch(PointSearch search, StoreView view, byte[][] keys, long sequence, int ticket) {
    this.search = search;
    this.searchers = search.searchers();
    this.access = search.access();
    this.view = view;
    this.probes = Arrays.stream(keys).map(key -> probe(key, sequence)).toArray(Lookup[]::new);
    this.hashes = Arrays.stream(keys).mapToLong(key -> KeyHash.of(key, 0, key.length)).toArray();
    this.sequence = sequence;
    this.ticket = ticket;
    this.answers = new Object[keys.length];
    this.firstTree = new AtomicIntegerArray(keys.length);
    for (int i = 0; i < keys.length; i++) {
      firstTree.setPlain(i, NOWHERE);
    }
  }

  private static Lookup probe(byte[] key, long sequence) {
    Lookup probe = new Lookup(key, 0, key.length);
    probe.lookFor(sequence);
    return probe;
  }

  /**
   * Finds them.
   *
   * @param inParallel whether search threads may be used
   * @throws RuntimeException what a search for one of the keys alone would throw
   */
  public void find(boolean inParallel) {
    findInBuffers();
    int width = inParallel ? searchers.count() : 1;
    Candidates candidates = view.forest().candidates();
    int[] cells = new int[probes.length];
    for (int i = 0; i < cells.length; i++) {
      cells[i] = candidates.cell(probes[i].key(), 0, probes[i].keyLength());
    }
    int tree = 0;
    while (tree < candidates.trees() && hasOpenKeys()) {
      List<BlockSearch> wave = new ArrayList<>();
      List<BlockSearch> unread = new ArrayList<>();
      while (tree < candidates.trees() && unread.size() < width) {
        gather(candidates, tree, cells, wave, unread);
        tree++;
      }
      read(unread, inParallel);
      wave.forEach(this::settle);
    }
    for (int i = 0; i < answers.length; i++) {
      if (answers[i] == UNRESOLVED) {
        answers[i] = resolve(i, inParallel ? SearchScheme.ADAPTIVE : SearchScheme.SERIAL);
      }
    }
  }

  private @Nullable Object resolve(int key, SearchScheme scheme) {
    Lookup probe = probe(probes[key].key(), sequence);
    try {
      return search.find(scheme, view, probe, ticket) ? copy(probe) : null;
    } finally {
      probe.release();
    }
  }

  private void read(List<BlockSearch> unread, boolean inParallel) {
    if (unread.isEmpty()) {
      return;
    }
    searchers.callerBegins();
    try {
      if (inParallel && searchers.announces() && announce(unread)) {
        unread.forEach(BlockSearch::run);
      } else if (inParallel && unread.size() > 1 && searchers.isWorthHandingOver()) {
        int helpers = Math.min(unread.size() - 1, searchers.idle());
        SharedWork.doAll(unread, helpers, searchers, ticket);
      } else {
        unread.forEach(BlockSearch::run);
      }
    } finally {
      searchers.callerEnds();
    }
  }

  /** Returns false when it is not known of all what has to be read. */
  private boolean announce(List<BlockSearch> unread) {
    searchers.counters().add(Metric.ANNOUNCED_READS, unread.size());
    boolean all = true;
    for (BlockSearch search : unread) {
      all &= search.announce();
    }
    for (int i = 1; i < unread.size() && all; i++) {
      unread.get(i).isAwaited = false; // the system reads it while the first one is waited for
    }
    return all;
  }

  /** The value found for a key, or null. */
  public byte @Nullable [] value(int key) {
    return answers[key] instanceof byte[] value ? value : null;
  }

  /** What was searched for a key, see {@link Lookup#searchedTrees}. */
  public Lookup probe(int key) {
    return probes[key];
  }

  private boolean hasOpenKeys() {
    for (Object answer : answers) {
      if (answer == null) {
        return true;
      }
    }
    return false;
  }

  private void findInBuffers() {
    for (int i = 0; i < probes.length; i++) {
      if (PointSearch.findInBuffers(view, probes[i])) {
        answers[i] = copy(probes[i]);
        firstTree.setPlain(i, -1);
      }
    }
  }

  private static Object copy(Lookup lookup) {
    if (!Resolution.isPlain(lookup.trailer())) {
      return UNRESOLVED;
    }
    return lookup.isTombstone() ? TOMBSTONE : lookup.copy();
  }

  /** Groups by block the keys to look up in a tree, and searches the blocks in memory. */
  private void gather(
      Candidates candidates,
      int tree,
      int[] cells,
      List<BlockSearch> wave,
      List<BlockSearch> unread) {
    int first = wave.size();
    BlockSearch last = null;
    for (int i = 0; i < probes.length; i++) {
      Lookup probe = probes[i];
      Sst sst =
          firstTree.get(i) < tree
              ? null
              : candidates.find(tree, cells[i], probe.key(), 0, probe.keyLength());
      boolean isAsked = sst != null && (sst.mayHold(hashes[i]) || mayCover(sst, probe));
      probe.searched(sst == null ? 0 : 1, isAsked ? 1 : 0);
      if (sst != null && isAsked) {
        SstReader reader = sst.readerIfOpen();
        long block = reader == null ? NOT_FOUND_YET : BlockAccess.block(reader, probe);
        if (last == null || last.sst != sst || last.block != block) {
          last = new BlockSearch(sst, block, tree);
          wave.add(last);
        }
        last.keys.add(i);
      }
    }
    for (BlockSearch search : wave.subList(first, wave.size())) {
      if (search.isInMemory()) {
        search.run();
      } else {
        unread.add(search);
      }
    }
  }

  private static boolean mayCover(Sst sst, Lookup probe) {
    return sst.hasRangeTombstones() && RangeDeletes.mayCover(sst, probe);
  }

  /**
   * Accepts a block's results for the keys that have none; called for blocks in order of priority.
   */
  private void settle(BlockSearch search) {
    boolean isNeeded = false;
    for (int i = 0; i < search.keys.size(); i++) {
      int key = search.keys.get(i);
      if (answers[key] == null) {
        isNeeded = true;
        Object answer = search.answers.get(i);
        if (answer instanceof Throwable failure) {
          throw Failures.unchecked(failure);
        }
        answers[key] = answer;
      }
    }
    if (search.wasRead && !isNeeded) {
      searchers.counters().add(Metric.USELESS_READS, 1);
    }
  }

  /** The keys to look up in one block. Run once, by any thread. */
  private final class BlockSearch implements Runnable {
    private final Sst sst;
    private final long block;
    private final int tree;
    private final List<Integer> keys = new ArrayList<>();
    private final List<@Nullable Object> answers = new ArrayList<>();
    private boolean wasRead;

    /** Whether the time of its read says how long reads take. */
    private boolean isAwaited = true;

    private BlockSearch(Sst sst, long block, int tree) {
      this.sst = sst;
      this.block = block;
      this.tree = tree;
    }

    private boolean isInMemory() {
      SstReader reader = sst.readerIfOpen();
      return reader != null && access.isInMemory(reader, block);
    }

    private boolean announce() {
      SstReader reader = sst.readerIfOpen();
      return reader != null && access.announce(reader, block);
    }

    @Override
    public void run() {
      Lookup lookup = new Lookup();
      int searched = 0;
      for (int key : keys) {
        Object answer = null;
        if (firstTree.get(key) > tree) { // not found at a higher priority meanwhile
          searched++;
          answer = search(probes[key], hashes[key], lookup);
          if (answer != null) {
            firstTree.accumulateAndGet(key, tree, Math::min);
          }
        }
        answers.add(answer);
      }
      searchers.counters().add(Metric.SEARCHED_SSTS, searched);
    }

    private @Nullable Object search(Lookup probe, long hash, Lookup lookup) {
      try {
        long deleted = sst.hasRangeTombstones() ? RangeDeletes.covering(sst, probe) : 0;
        if (deleted > 0 && !sst.mayHold(hash)) {
          return TOMBSTONE;
        }
        boolean isRead = !isInMemory();
        wasRead |= isRead;
        long start = isRead && isAwaited ? ReadTimes.begin() : 0;
        SstReader reader = sst.reader();
        long at = block == NOT_FOUND_YET ? BlockAccess.block(reader, probe) : block;
        boolean found = access.search(reader, at, probe, lookup);
        searchers.readTimes().end(start);
        if (!found) {
          reader.missed();
        }
        return RangeDeletes.settle(deleted, found, lookup) ? copy(lookup) : null;
      } catch (Throwable e) {
        return e; // for the caller, if it counts
      } finally {
        lookup.release();
      }
    }
  }
}
