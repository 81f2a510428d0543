package io.sifr.internal.compaction.pick;

import io.sifr.event.CompactionReason;
import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.SstSlice;
import java.util.List;
import java.util.function.Consumer;

/**
 * Bounds the log that is retained because SSTs may be lost with a directory that does not survive a
 * power failure: when it has become too much, those that were flushed first are rewritten in their
 * trees, in the store's directory. Without it the only row of a database that is no longer written
 * would hold all of the log that others write.
 */
record Home() implements Rule {
  @Override
  public Priority priority() {
    return Priority.SPACE;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    Forest forest = picture.forest();
    long before = picture.upkeep().homeBefore();
    if (before > forest.firstLogged()) {
      for (LogicalTree tree : forest.byPriority()) {
        if (before > tree.firstLogged()) {
          propose(forest, tree, before, due);
        }
      }
    }
    return Look.NEVER;
  }

  private void propose(Forest forest, LogicalTree tree, long before, Consumer<Proposal> due) {
    List<KeySpan> spans = WholeSlices.spans(tree, slice -> isDue(slice, before));
    if (spans.stream().allMatch(span -> WholeSlices.areIdle(forest, tree, span))) {
      due.accept(
          Proposal.of(
              priority(),
              CompactionPlan.within(forest, tree, spans, Shape.REWRITES)
                  .because(CompactionReason.LOG)));
    }
  }

  private static boolean isDue(SstSlice slice, long before) {
    SstMeta.Logged logged = slice.sst().meta().logged();
    return logged != null && logged.after() + 1 < before;
  }
}
