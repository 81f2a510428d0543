package io.sifr.internal.compaction.pick;

import io.sifr.event.CompactionReason;
import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.SliceTombstones;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Drops what range tombstones of newer trees hide: of each tree the key ranges of whole slices.
 * That writes nothing and reads nothing but range tombstones, so the space of a deleted range is
 * free soon after the flush, and nothing of it is compacted any more.
 *
 * <p>No key range of a tree is dropped that a compaction has still to compact: when it begins or is
 * resumed it drops itself what is hidden, and what it leaves is found when it has ended.
 */
record Hidden() implements Rule {
  @Override
  public Priority priority() {
    return Priority.DROP;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    Forest forest = picture.forest();
    if (!forest.hasRangeTombstones()) {
      return Look.NEVER;
    }
    Search search = new Search(picture.snapshots());
    RangeTombstones above = null;
    for (LogicalTree tree : forest.byPriority()) {
      if (above != null) {
        for (KeySpan span : search.hidden(tree, above)) {
          if (WholeSlices.areIdle(forest, tree, span)) {
            due.accept(
                Proposal.drop(
                    CompactionPlan.into(forest, tree, List.of(tree), span, Compaction.Shape.DROPS)
                        .because(CompactionReason.RANGE_TOMBSTONES)));
          }
        }
      }
      RangeTombstones own =
          tree.hasRangeTombstones() ? SliceTombstones.readable(tree.slices()) : null;
      if (own != null) {
        above = above == null ? own : above.and(own);
      }
    }
    return Look.onRelease(search.heldBackBefore);
  }

  private static int firstFrom(LogicalTree tree, byte[] key) {
    return tree.firstEndingAtOrAfter(key, 0, key.length);
  }

  /** The slices that are hidden, and the snapshots that still see some. */
  private static final class Search {
    private final long[] snapshots;

    /** There may be more when a snapshot with a smaller number is released; 0: never. */
    private long heldBackBefore;

    Search(long[] snapshots) {
      this.snapshots = snapshots;
    }

    List<KeySpan> hidden(LogicalTree tree, RangeTombstones above) {
      List<KeySpan> hidden = new ArrayList<>();
      List<SstSlice> slices = tree.slices();
      int begin = -1;
      int at = firstFrom(tree, above.first());
      while (at < slices.size()) {
        SstSlice slice = slices.get(at);
        byte[] covered = above.firstCovered(slice.smallestKey());
        boolean isHidden = Arrays.equals(covered, slice.smallestKey()) && isHidden(slice, above);
        if (isHidden && begin < 0) {
          begin = at;
        } else if (!isHidden && begin >= 0) {
          hidden.add(WholeSlices.span(slices, begin, at));
          begin = -1;
        }
        if (covered == null) {
          break;
        }
        at = Math.max(at + 1, firstFrom(tree, covered));
      }
      if (begin >= 0) {
        hidden.add(WholeSlices.span(slices, begin, at));
      }
      return hidden;
    }

    private boolean isHidden(SstSlice slice, RangeTombstones above) {
      SstMeta meta = slice.sst().meta();
      long from = above.hidingAll(slice.smallestKey(), slice.largestKey(), meta.maxSequence());
      if (from == Long.MAX_VALUE) {
        return false;
      }
      boolean isSeen = meta.isSeenBelow(from, snapshots);
      if (isSeen) {
        heldBackBefore = Math.max(heldBackBefore, from);
      }
      return !isSeen;
    }
  }
}
