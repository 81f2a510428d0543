package io.sifr.internal.compaction;

import io.sifr.config.MergeTrigger;
import io.sifr.internal.forest.Forest;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The split forest's rule (TPDS §4): a full stage's trees become one tree of the next stage.
 *
 * <p>Always exactly as many as the growth factor says, and the oldest: trees that came in while a
 * merge waited for a thread stay for the next one. So the trees per stage depend on the number of
 * flushes alone, as in the papers, and not on how fast the merges were.
 *
 * @param growthFactor trees merged at once
 * @param trigger whether the stage must hold one more before it counts as full
 */
public record SplitForestPolicy(int growthFactor, MergeTrigger trigger)
    implements CompactionPolicy {
  @Override
  public List<CompactionPlan> due(Forest forest, IntPredicate isBusy) {
    int full = trigger == MergeTrigger.EAGER ? growthFactor : growthFactor + 1;
    return IntStream.rangeClosed(1, forest.stageCount())
        .filter(stage -> forest.idleTrees(stage).size() >= full && !isBusy.test(stage))
        .mapToObj(stage -> CompactionPlan.ofOldest(forest, stage, growthFactor))
        .toList();
  }
}
