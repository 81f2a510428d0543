package io.sifr.internal.compaction.pick;

import io.sifr.event.CompactionReason;
import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import java.util.List;
import java.util.function.Consumer;

/**
 * Drops SSTs all of whose values have expired. That writes nothing and reads nothing.
 *
 * <p>What has expired still hides older versions, as a tombstone does: without it, an older value
 * would be there again. So an SST is only dropped when no older tree has an SST that overlaps it,
 * not even one that has expired, too: that one is dropped first. Then nothing can appear, and no
 * snapshot matters, since for it the values have expired as well.
 */
record Expired() implements Rule {
  @Override
  public Priority priority() {
    return Priority.DROP;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    if (!picture.forest().expires()) {
      return Look.NEVER;
    }
    Search search = new Search(picture.forest(), picture.now(), due);
    search.run();
    return Look.at(search.next);
  }

  private static boolean overlaps(LogicalTree tree, SstSlice slice) {
    byte[] smallest = slice.smallestKey();
    byte[] largest = slice.largestKey();
    return tree.firstEndingAtOrAfter(smallest, 0, smallest.length)
        <= tree.lastBeginningAtOrBefore(largest, 0, largest.length);
  }

  /** The SSTs that have expired, and the time at which the next one does. */
  private static final class Search {
    private final Forest forest;
    private final long now;
    private final Consumer<Proposal> due;
    private long next = ExpiringKind.NEVER;

    Search(Forest forest, long now, Consumer<Proposal> due) {
      this.forest = forest;
      this.now = now;
      this.due = due;
    }

    void run() {
      List<LogicalTree> trees = forest.byPriority();
      for (int i = 0; i < trees.size(); i++) {
        if (trees.get(i).earliestExpiry() != ExpiringKind.NEVER) {
          add(trees.get(i), trees.subList(i + 1, trees.size()));
        }
      }
    }

    private void add(LogicalTree tree, List<LogicalTree> older) {
      WholeSlices.spans(tree, slice -> isDropped(slice, older)).forEach(span -> drop(tree, span));
    }

    private boolean isDropped(SstSlice slice, List<LogicalTree> older) {
      long expiry = slice.sst().meta().lastExpiry();
      if (expiry > now) {
        next = Math.min(next, expiry);
        return false;
      }
      return older.stream().noneMatch(tree -> overlaps(tree, slice));
    }

    private void drop(LogicalTree tree, KeySpan span) {
      if (WholeSlices.areIdle(forest, tree, span)) {
        due.accept(
            Proposal.drop(
                CompactionPlan.into(forest, tree, List.of(tree), span, Compaction.Shape.DROPS)
                    .because(CompactionReason.EXPIRY)));
      }
    }
  }
}
