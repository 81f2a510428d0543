package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.NewerEntries;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.forest.Candidates;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.search.Searchers.BlockAccess;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.read.RunIterator;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds whether a key, or a key of a range, was written or deleted after a sequence number. Only
 * what may hold something newer is searched: of most stores that is the memtables, and a few SSTs.
 *
 * <p>The number must be registered with the snapshots. Then of all that is newer the newest version
 * of each key is found, even a tombstone: a flush or a compaction drops one only if no snapshot is
 * older, and a version that is hidden only if what hides it stays. For the views of flushes and
 * compactions that had begun before the number was registered, see {@link
 * io.sifr.internal.view.Snapshots}: they read nothing that is newer.
 *
 * <p>The caller is inside a read epoch.
 */
public final class ChangeSearch {
  private ChangeSearch() {}

  /**
   * Whether a memtable has a version of the probe's key, or a range tombstone that covers it, that
   * is newer; then the probe receives it.
   */
  public static boolean isIn(Memtable memtable, Lookup probe, long since) {
    return memtable.maxSequence() > since
        && memtable.get(
            probe.key(), probe.keyOffset(), probe.keyLength(), Trailer.MAX_SEQUENCE, probe)
        && probe.sequence() > since;
  }

  /** Whether the key was changed. The probe belongs to this search until it is released. */
  public static boolean isChanged(StoreView view, Lookup probe, long since) {
    if (isIn(view.active().memtable(), probe, since)) {
      return true;
    }
    for (WriteBuffer buffer : view.immutables()) {
      if (isIn(buffer.memtable(), probe, since)) {
        return true;
      }
    }
    return isChangedInTrees(view, probe, since);
  }

  private static boolean isChangedInTrees(StoreView view, Lookup probe, long since) {
    byte[] key = probe.key();
    int offset = probe.keyOffset();
    int length = probe.keyLength();
    Candidates candidates = view.forest().candidates();
    int cell = candidates.cell(key, offset, length);
    long hash = candidates.trees() == 0 ? 0 : KeyHash.of(key, offset, length);
    for (int i = 0; i < candidates.trees(); i++) {
      Sst sst = candidates.find(i, cell, key, offset, length);
      if (sst != null && sst.meta().maxSequence() > since && isChangedIn(sst, hash, probe, since)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isChangedIn(Sst sst, long hash, Lookup probe, long since) {
    probe.lookFor(Trailer.MAX_SEQUENCE);
    if (sst.hasRangeTombstones() && RangeDeletes.covering(sst, probe) > since) {
      return true;
    }
    if (!sst.mayHold(hash)) {
      return false;
    }
    SstReader reader = sst.reader();
    long block = BlockAccess.block(reader, probe);
    return BlockAccess.STORE.search(reader, block, probe, probe) && probe.sequence() > since;
  }

  /**
   * A key of a range that was changed, or one that was deleted with a range; null when there is
   * none. Reads of each SST with something newer what it holds in the range, up to the first entry
   * that is newer.
   *
   * @param from the first key; null: the first of all
   * @param to the key after the last one; null: there is none
   */
  public static byte @Nullable [] changedIn(
      StoreView view, byte @Nullable [] from, byte @Nullable [] to, long since) {
    byte[] first = from == null ? Bytes.EMPTY : from;
    byte[] changed = view.active().memtable().changedIn(first, to, since);
    List<WriteBuffer> immutables = view.immutables();
    for (int i = 0; i < immutables.size() && changed == null; i++) {
      changed = immutables.get(i).memtable().changedIn(first, to, since);
    }
    List<LogicalTree> trees = view.forest().byPriority();
    for (int i = 0; i < trees.size() && changed == null; i++) {
      if (trees.get(i).maxSequence() > since) {
        changed = changedIn(trees.get(i), first, to, since);
      }
    }
    return changed;
  }

  private static byte @Nullable [] changedIn(
      LogicalTree tree, byte[] from, byte @Nullable [] to, long since) {
    int begin = tree.firstEndingAtOrAfter(from, 0, from.length);
    int end =
        to == null ? tree.slices().size() : 1 + tree.lastBeginningAtOrBefore(to, 0, to.length);
    byte[] changed = null;
    for (int i = begin; i < end && changed == null; i++) {
      SstSlice slice = tree.slices().get(i);
      if (slice.sst().meta().maxSequence() > since) {
        RangeTombstones ranges = slice.sst().hasRangeTombstones() ? slice.rangeTombstones() : null;
        changed = ranges == null ? null : ranges.firstCovered(from, to, since);
        if (changed == null) {
          try (RunIterator entries =
              new RunIterator(tree, i, i, () -> false, ReadAhead.Helper.NONE)) {
            changed = NewerEntries.firstKey(entries, from, to, since);
          }
        }
      }
    }
    return changed;
  }
}
