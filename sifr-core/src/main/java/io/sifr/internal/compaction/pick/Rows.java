package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of a {@link Container} are compacted all at once, and the further stages, which are on
 * another device, as {@link Tiered} wants them. So a byte that has left the container is in a tree
 * that is several stages larger than a flush, and the slow device is written that many times less.
 *
 * @param container where the rows are
 * @param further the rule of the further stages
 */
record Rows(Container container, Tiered further) implements Rule.OfStages {
  @Override
  public List<CompactionPlan> due(Forest forest) {
    List<CompactionPlan> due = new ArrayList<>();
    List<LogicalTree> rows = forest.oldestIdle(1);
    if (rows.size() > 1 && container.fill(rows) >= 1 && !Tiered.isCrossed(forest, 1)) {
      due.add(CompactionPlan.intoNewTree(forest, rows, KeySpan.ALL, 2, further.shape()));
    }
    further.due(forest).stream().filter(plan -> plan.sourceStage() > 1).forEach(due::add);
    return due;
  }

  @Override
  public double score(Forest forest, CompactionPlan plan) {
    return further.score(forest, plan);
  }

  @Override
  public double debt(Forest forest) {
    return Math.max(further.debt(forest, 2), container.debt(forest));
  }

  @Override
  public int growthFactor() {
    return further.growthFactor();
  }

  @Override
  public int moreFilterBits(Forest forest, int stage) {
    return further.moreFilterBits(forest, stage);
  }
}
