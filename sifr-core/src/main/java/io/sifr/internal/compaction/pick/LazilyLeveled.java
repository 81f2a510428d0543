package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import java.util.ArrayList;
import java.util.List;

/**
 * Lazy leveling (Dostoevsky, SIGMOD 2018): a split forest whose last stage is one tree. The trees
 * of the stage before are compacted into it, key range by key range, so that early cleaning spares
 * the second copy of it. When it has outgrown its stage it becomes the first tree of the next.
 *
 * @param factor trees compacted at once, and how many times as large each further stage is
 * @param writeBufferBytes size of the trees of stage 1
 */
record LazilyLeveled(int factor, long writeBufferBytes) implements Rule.OfStages {
  /**
   * Entries take less space in SSTs than in a write buffer: of 123 bytes, 0.75. The last stage is
   * to outgrow it when it has come to as many write buffers as belong there, not one compaction
   * later, which would cost a third more; nor one compaction earlier, when it has three quarters of
   * them.
   */
  private static final double FLUSHED_SHARE = 0.65;

  private Tiered upperStages() {
    return new Tiered(factor, false, Shape.MOVES);
  }

  @Override
  public List<CompactionPlan> due(Forest forest) {
    int last = forest.stageCount();
    List<CompactionPlan> due = new ArrayList<>();
    for (CompactionPlan plan : upperStages().due(forest)) {
      if (plan.targetStage() < last) {
        due.add(plan);
      } else if (plan.targetStage() == last && forest.isIdle(last, KeySpan.ALL)) {
        if (forest.stage(last).size() == 1) {
          due.add(intoLast(forest, plan));
        }
      } else if (last == 1) {
        due.add(plan);
      }
    }
    if (last > 1 && forest.isIdle(last, KeySpan.ALL)) {
      List<LogicalTree> trees = forest.stage(last);
      if (trees.size() > 1) { // as another policy leaves them
        due.add(CompactionPlan.intoNewTree(forest, trees, KeySpan.ALL, last, Shape.MOVES));
      } else if (trees.get(0).liveBytes() > most(last)) {
        due.add(CompactionPlan.intoNewTree(forest, trees, KeySpan.ALL, last + 1, Shape.MOVES));
      }
    }
    return due;
  }

  private static CompactionPlan intoLast(Forest forest, CompactionPlan plan) {
    LogicalTree output = forest.stage(plan.targetStage()).get(0);
    List<LogicalTree> inputs = new ArrayList<>(plan.inputs());
    inputs.add(output);
    return CompactionPlan.into(forest, output, inputs, KeySpan.ALL, Shape.MOVES);
  }

  /** Bytes up to which a tree stays the last stage. */
  private double most(int stage) {
    return FLUSHED_SHARE * writeBufferBytes * Math.pow(factor, stage);
  }

  @Override
  public double score(Forest forest, CompactionPlan plan) {
    return upperStages().score(forest, plan);
  }

  @Override
  public double debt(Forest forest) {
    return upperStages().debt(forest);
  }

  @Override
  public int growthFactor() {
    return factor;
  }

  @Override
  public int moreFilterBits(Forest forest, int stage) {
    return Rule.OfStages.moreFilterBits(forest, stage, factor);
  }
}
