package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import java.util.ArrayList;
import java.util.List;

/**
 * The trees of the first stage are the rows of a container on a fast device (MatrixKV, §3.1): they
 * are compacted all at once when they have filled most of it, and while that lasts, flushes fill
 * the rest. The further stages are on another device, and as {@link Tiered} wants them. So a byte
 * that has left the container is in a tree that is several stages larger than a flush, and the slow
 * device is written that many times less.
 *
 * @param containerBytes bytes of all rows together, at most
 * @param further the rule of the further stages
 */
record Rows(long containerBytes, Tiered further) implements Rule.OfStages {
  /** The part of the container that is compacted, its compactor; the rest is the receiver. */
  private static final double COMPACTOR = 0.6;

  /** Each row is looked into by reads, however small it is. */
  private static final int MOST_ROWS = 64;

  @Override
  public List<CompactionPlan> due(Forest forest) {
    List<CompactionPlan> due = new ArrayList<>();
    List<LogicalTree> rows = forest.oldestIdle(1);
    if (rows.size() > 1
        && (bytes(rows) >= COMPACTOR * containerBytes || rows.size() >= MOST_ROWS)
        && !Tiered.isCrossed(forest, 1)) {
      due.add(CompactionPlan.intoNewTree(forest, rows, KeySpan.ALL, 2, further.shape()));
    }
    further.due(forest).stream().filter(plan -> plan.sourceStage() > 1).forEach(due::add);
    return due;
  }

  private static long bytes(List<LogicalTree> rows) {
    return rows.stream().mapToLong(LogicalTree::bytes).sum();
  }

  @Override
  public double score(Forest forest, CompactionPlan plan) {
    return further.score(forest, plan);
  }

  /** Rows are behind when others fill a second container, which is not on the fast device. */
  @Override
  public double debt(Forest forest) {
    double containers = (double) bytes(forest.stage(1)) / containerBytes;
    double trees = (double) forest.stage(1).size() / (2 * MOST_ROWS);
    return Math.max(further.debt(forest, 2), Math.max(containers, trees) - 1);
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
