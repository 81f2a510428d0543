package io.sifr.internal.compaction.pick;

import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import java.util.List;
import java.util.function.Consumer;

/**
 * First in, first out: when the trees of a database have more than some bytes, the oldest is
 * dropped unread, and so on. Nothing is merged, so each byte is written once.
 *
 * <p>It is always the oldest that goes. What a newer tree hides, a version or what a tombstone
 * deletes, would else be there again.
 *
 * @param mostBytes of all trees; the newest stays however large it is
 */
record Fifo(long mostBytes) implements Rule {
  @Override
  public Priority priority() {
    return Priority.DROP;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    Forest forest = picture.forest();
    List<LogicalTree> trees = forest.byPriority();
    if (trees.size() > 1 && forest.bytes() > mostBytes) {
      LogicalTree oldest = trees.get(trees.size() - 1);
      if (!forest.isInUse(oldest)) {
        due.accept(
            Proposal.drop(
                CompactionPlan.into(forest, oldest, List.of(oldest), KeySpan.ALL, Shape.DROPS)));
      }
    }
    return Look.NEVER;
  }
}
