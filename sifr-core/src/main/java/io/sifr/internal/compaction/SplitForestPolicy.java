package io.sifr.internal.compaction;

import io.sifr.config.MergeTrigger;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The split forest's rule (TPDS §4): a full stage's trees become one tree of the next stage.
 *
 * <p>Always exactly as many as the growth factor says, and the oldest: trees that came in while a
 * compaction waited for a thread stay for the next one. So the trees per stage depend on the number
 * of flushes alone, as in the papers, and not on how fast the compactions were.
 *
 * @param growthFactor trees merged at once
 * @param trigger whether the stage must hold one more before it counts as full
 */
public record SplitForestPolicy(int growthFactor, MergeTrigger trigger)
    implements CompactionPolicy {
  /**
   * The filters of a stage are asked by nearly every read of the store, and take little memory.
   * With f times the entries in each further stage, useless reads are fewest when each stage's rate
   * is one f-th of the next one's (Monkey, SIGMOD 2017, §4.1): log2(4) / ln 2 = 2.9 bits for f = 4.
   */
  private static final int FILTER_BITS_A_STAGE = 3;

  @Override
  public List<CompactionPlan> due(Forest forest) {
    int full = trigger == MergeTrigger.EAGER ? growthFactor : growthFactor + 1;
    return IntStream.rangeClosed(1, forest.stageCount())
        .filter(stage -> forest.idleTrees(stage).size() >= full && !isSource(forest, stage))
        .mapToObj(stage -> planOf(forest, stage))
        .toList();
  }

  private static boolean isSource(Forest forest, int stage) {
    return forest.compactions().stream()
        .anyMatch(compaction -> forest.sourceStage(compaction) == stage);
  }

  private CompactionPlan planOf(Forest forest, int stage) {
    List<LogicalTree> trees = forest.idleTrees(stage);
    return CompactionPlan.intoNewTree(
        forest,
        trees.subList(trees.size() - growthFactor, trees.size()),
        KeySpan.ALL,
        stage + 1,
        Compaction.Shape.MOVES);
  }

  /** So no stage falls behind for the sake of others. */
  @Override
  public double urgency(Forest forest, CompactionPlan plan) {
    return forest.stage(plan.sourceStage()).size();
  }

  /**
   * Normal are the trees of a compaction in each stage and as many for the next one. Each tree
   * above has to be asked by a read; a few of them in all are no reason to slow writers down yet.
   */
  @Override
  public double debt(Forest forest) {
    long above = 0;
    for (int stage = 1; stage <= forest.stageCount(); stage++) {
      long trees =
          forest.stage(stage).stream().filter(tree -> !staysInStage(forest, tree.id())).count();
      above += Math.max(0, trees - 2L * growthFactor);
    }
    return (above - growthFactor) / (3.0 * growthFactor);
  }

  /** Whether a tree becomes one with others of its stage, whatever comes in. */
  private static boolean staysInStage(Forest forest, long treeId) {
    return forest.compactions().stream()
        .anyMatch(
            compaction ->
                compaction.inputTreeIds().contains(treeId)
                    && forest.stageOf(compaction.outputTreeId()) == forest.stageOf(treeId));
  }

  @Override
  public int moreFilterBits(Forest forest, int stage) {
    return FILTER_BITS_A_STAGE * Math.max(0, forest.stageCount() - stage);
  }
}
