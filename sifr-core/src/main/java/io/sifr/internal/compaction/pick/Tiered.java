package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The trees of a full stage become one tree of the next stage: the split forest's policy (TPDS §4),
 * and, without moves, that of the papers' Size-Tiered.
 *
 * <p>It always compacts exactly as many trees as the growth factor says, the oldest ones: trees
 * that were added while a compaction waited for a thread are left for the next one. So the number
 * of trees per stage depends only on the number of flushes, as in the papers, and not on the speed
 * of compactions.
 *
 * @param growthFactor trees compacted at once
 * @param lazy whether the stage must hold one more tree before it counts as full
 * @param shape what becomes of the SSTs
 */
record Tiered(int growthFactor, boolean lazy, Compaction.Shape shape) implements Rule.OfStages {
  @Override
  public List<CompactionPlan> due(Forest forest) {
    int full = lazy ? growthFactor + 1 : growthFactor;
    return IntStream.rangeClosed(1, forest.stageCount())
        .filter(stage -> forest.oldestIdle(stage).size() >= full && !isCrossed(forest, stage))
        .mapToObj(stage -> planOf(forest, stage))
        .toList();
  }

  /**
   * Whether a compaction has its inputs in the stage, or in stages on both sides of it: trees that
   * leave the stage would come between them.
   */
  static boolean isCrossed(Forest forest, int stage) {
    return forest.compactions().stream()
        .anyMatch(
            compaction -> {
              List<Long> inputs = compaction.inputTreeIds();
              return forest.sourceStage(compaction) <= stage
                  && stage <= forest.stageOf(inputs.get(inputs.size() - 1));
            });
  }

  private CompactionPlan planOf(Forest forest, int stage) {
    List<LogicalTree> trees = forest.oldestIdle(stage);
    return CompactionPlan.intoNewTree(
        forest,
        trees.subList(trees.size() - growthFactor, trees.size()),
        KeySpan.ALL,
        stage + 1,
        shape);
  }

  /** The number of trees in the source stage, so that no stage is neglected for others. */
  @Override
  public double score(Forest forest, CompactionPlan plan) {
    return forest.stage(plan.sourceStage()).size();
  }

  /**
   * The trees of one compaction in each stage, and as many for the next one, are normal. Each tree
   * above that has to be searched by reads; a few of them in all are no reason to slow writers
   * down.
   */
  @Override
  public double debt(Forest forest) {
    return debt(forest, 1);
  }

  /** As above, of a stage and all further ones. */
  double debt(Forest forest, int firstStage) {
    long above = 0;
    for (int stage = firstStage; stage <= forest.stageCount(); stage++) {
      long trees =
          forest.stage(stage).stream().filter(tree -> !staysInStage(forest, tree.id())).count();
      above += Math.max(0, trees - 2L * growthFactor);
    }
    return (above - growthFactor) / (3.0 * growthFactor);
  }

  /** Whether a compaction compacts the tree with others into one tree of the same stage. */
  private static boolean staysInStage(Forest forest, long treeId) {
    return forest.compactions().stream()
        .anyMatch(
            compaction ->
                compaction.inputTreeIds().contains(treeId)
                    && forest.stageOf(compaction.outputTreeId()) == forest.stageOf(treeId));
  }

  @Override
  public int moreFilterBits(Forest forest, int stage) {
    return Rule.OfStages.moreFilterBits(forest, stage, growthFactor);
  }
}
