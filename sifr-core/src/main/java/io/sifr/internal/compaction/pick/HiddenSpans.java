package io.sifr.internal.compaction.pick;

import io.sifr.error.SifrException;
import io.sifr.event.CompactionReason;
import io.sifr.internal.entry.RangeTombstones;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.OutdatedRunException;
import io.sifr.internal.sst.read.SliceTombstones;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compactions that drop what range tombstones of newer trees hide, whatever the policy: of each
 * tree the spans of whole slices. They write nothing and read nothing but range tombstones, so the
 * space of a deleted range is free soon after the flush, and nothing of it is merged any more.
 */
public final class HiddenSpans {
  private final long[] snapshots;
  private final List<CompactionPlan> due = new ArrayList<>();
  private long heldBackBefore;

  /**
   * Those of a forest.
   *
   * @param snapshots sequence numbers that must stay readable, ascending
   */
  public HiddenSpans(Forest forest, long[] snapshots) {
    this.snapshots = snapshots;
    RangeTombstones above = null;
    for (LogicalTree tree : forest.byPriority()) {
      if (above != null) {
        for (KeySpan span : hidden(tree, above)) {
          if (isIdle(forest, tree, span)) {
            due.add(
                CompactionPlan.into(forest, tree, List.of(tree), span, Compaction.Shape.DROPS)
                    .because(CompactionReason.RANGE_TOMBSTONES));
          }
        }
      }
      RangeTombstones own = tree.hasRangeTombstones() ? read(tree) : null;
      if (own != null) {
        above = above == null ? own : above.and(own);
      }
    }
  }

  /**
   * The compactions that are due. None concerns a span of a tree that a compaction has still to
   * merge: what that leaves is found when it has ended.
   */
  public List<CompactionPlan> due() {
    return due;
  }

  /**
   * When a snapshot with a smaller number is released, there may be more. 0: snapshots hold back
   * nothing.
   */
  public long heldBackBefore() {
    return heldBackBefore;
  }

  /** Null as well when they cannot be read, which those will find out that need them. */
  private static @Nullable RangeTombstones read(LogicalTree tree) {
    try {
      return SliceTombstones.of(tree.slices());
    } catch (SifrException | OutdatedRunException e) {
      return null;
    }
  }

  private List<KeySpan> hidden(LogicalTree tree, RangeTombstones above) {
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
        hidden.add(span(slices, begin, at));
        begin = -1;
      }
      if (covered == null) {
        break;
      }
      at = Math.max(at + 1, firstFrom(tree, covered));
    }
    if (begin >= 0) {
      hidden.add(span(slices, begin, at));
    }
    return hidden;
  }

  private boolean isHidden(SstSlice slice, RangeTombstones above) {
    long from = NeedlessSlices.hiddenFrom(slice, above);
    if (from == Long.MAX_VALUE) {
      return false;
    }
    boolean isSeen = NeedlessSlices.isSeen(slice, from, snapshots);
    if (isSeen) {
      heldBackBefore = Math.max(heldBackBefore, from);
    }
    return !isSeen;
  }

  private static int firstFrom(LogicalTree tree, byte[] key) {
    return tree.firstEndingAtOrAfter(key, 0, key.length);
  }

  /** The span of some neighbouring slices of a tree, from the end of the slice before. */
  static KeySpan span(List<SstSlice> slices, int begin, int end) {
    return new KeySpan(
        begin == 0 ? null : slices.get(begin - 1).largestKey(), slices.get(end - 1).largestKey());
  }

  /** Whether no compaction has still to merge something of a span of a tree. */
  static boolean isIdle(Forest forest, LogicalTree tree, KeySpan span) {
    return forest.compactions().stream()
        .noneMatch(
            other -> other.uses(tree.id()) && KeySpan.overlap(other.remaining(), List.of(span)));
  }
}
