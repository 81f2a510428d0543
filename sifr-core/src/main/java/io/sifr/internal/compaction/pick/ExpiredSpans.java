package io.sifr.internal.compaction.pick;

import io.sifr.event.CompactionReason;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.List;

/**
 * Compactions that drop SSTs all of whose values have expired, whatever the policy. They write
 * nothing and read nothing.
 *
 * <p>What has expired still hides older versions, as a tombstone does: without it, an older value
 * would be there again. So an SST is only dropped when no older tree has an SST that overlaps it,
 * not even one that has expired, too: that one is dropped first. Then nothing can appear, and no
 * snapshot is to be asked, since for it the values have expired as well.
 */
public final class ExpiredSpans {
  private final List<CompactionPlan> due = new ArrayList<>();
  private long next = ExpiringKind.NEVER;

  /**
   * Those of a forest.
   *
   * @param now the time, in milliseconds since the epoch
   */
  public ExpiredSpans(Forest forest, long now) {
    List<LogicalTree> trees = forest.byPriority();
    for (int i = 0; i < trees.size(); i++) {
      if (trees.get(i).earliestExpiry() != ExpiringKind.NEVER) {
        add(forest, trees.get(i), trees.subList(i + 1, trees.size()), now);
      }
    }
  }

  /** The compactions that are due. */
  public List<CompactionPlan> due() {
    return due;
  }

  /**
   * When more may be due, even if the forest stays as it is: in milliseconds since the epoch;
   * {@link ExpiringKind#NEVER} if nothing more expires.
   */
  public long next() {
    return next;
  }

  private void add(Forest forest, LogicalTree tree, List<LogicalTree> older, long now) {
    List<SstSlice> slices = tree.slices();
    int begin = -1;
    for (int i = 0; i <= slices.size(); i++) {
      boolean isDropped = i < slices.size() && isDropped(slices.get(i), older, now);
      if (isDropped && begin < 0) {
        begin = i;
      } else if (!isDropped && begin >= 0) {
        drop(forest, tree, begin, i);
        begin = -1;
      }
    }
  }

  private boolean isDropped(SstSlice slice, List<LogicalTree> older, long now) {
    long expiry = slice.sst().meta().lastExpiry();
    if (expiry > now) {
      next = Math.min(next, expiry);
      return false;
    }
    return older.stream().noneMatch(tree -> overlaps(tree, slice));
  }

  private static boolean overlaps(LogicalTree tree, SstSlice slice) {
    byte[] smallest = slice.smallestKey();
    byte[] largest = slice.largestKey();
    return tree.firstEndingAtOrAfter(smallest, 0, smallest.length)
        <= tree.lastBeginningAtOrBefore(largest, 0, largest.length);
  }

  private void drop(Forest forest, LogicalTree tree, int begin, int end) {
    KeySpan span = HiddenSpans.span(tree.slices(), begin, end);
    if (HiddenSpans.isIdle(forest, tree, span)) {
      due.add(
          CompactionPlan.into(forest, tree, List.of(tree), span, Compaction.Shape.DROPS)
              .because(CompactionReason.EXPIRY));
    }
  }
}
