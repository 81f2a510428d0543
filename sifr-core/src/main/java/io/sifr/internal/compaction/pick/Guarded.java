package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.Guards;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fragmented forest of PebblesDB (SOSP 2017): {@link Guards} divide the keys of each stage but
 * the first, further ones more finely. When too many trees of a stage hold something between two of
 * its guards, it is compacted into the next stage, key range by key range between the guards there,
 * into a tree that holds nothing between them. What is in the next stage is not read, so data is
 * written once per stage, as in a split forest. In the last stage what lies between two guards
 * becomes one run.
 *
 * <p>A guard of a stage is one that some compaction into that stage, or into a further one, has
 * seen; PebblesDB makes it one when it is written. Until it has been compacted down nothing could
 * be cut there.
 *
 * @param firstTrees trees of stage 1 that are compacted
 * @param mostTrees trees of a further stage that may hold something between two guards
 * @param guardBits bits of its hash that make a key a guard in stage 1, if that had guards
 */
record Guarded(int firstTrees, int mostTrees, int guardBits) implements Rule.OfStages {
  /**
   * As in PebblesDB. With two bits less in each stage, a key in 32,768 is a guard of stage 7: what
   * lies between two of them makes an SST of a few MiB. What suits best would depend on the number
   * of keys, which nobody knows beforehand.
   */
  static final int GUARD_BITS = 27;

  /** The last of them is compacted in place; another policy may leave more. */
  private static final int STAGES = 7;

  /** Each further stage has guards four times as often. */
  private static final int FEWER_BITS_PER_STAGE = 2;

  private static final int FEWEST_BITS = 4;

  @Override
  public List<CompactionPlan> due(Forest forest) {
    int last = Math.max(STAGES, forest.stageCount());
    List<CompactionPlan> due = new ArrayList<>();
    for (int stage = 1; stage <= forest.stageCount(); stage++) {
      int enough = stage == 1 ? firstTrees : mostTrees + 1;
      if (forest.stage(stage).size() >= enough) {
        int targetStage = Math.min(stage + 1, last);
        List<KeySpan> finer = guards(forest, targetStage).spans();
        for (KeySpan span : guards(forest, stage).spans()) {
          if (holding(forest, stage, span).size() >= enough) {
            List<KeySpan> within = finer.stream().filter(span::contains).toList();
            addDue(due, forest, stage, within, targetStage);
          }
        }
      }
    }
    return due;
  }

  private static List<LogicalTree> holding(Forest forest, int stage, KeySpan span) {
    return forest.stage(stage).stream().filter(tree -> tree.holdsIn(span)).toList();
  }

  /** Adds a compaction for each of the key ranges between two guards of the target stage. */
  private static void addDue(
      List<CompactionPlan> due, Forest forest, int stage, List<KeySpan> spans, int targetStage) {
    for (KeySpan span : spans) {
      if (forest.isIdle(stage, span) && forest.isIdle(targetStage, span)) {
        List<LogicalTree> inputs = holding(forest, stage, span);
        if (!inputs.isEmpty()) {
          CompactionPlan plan = plan(forest, inputs, span, stage, targetStage);
          // One tree is made at a time: the others are compacted into that as well.
          if (plan.output() != null || due.stream().noneMatch(other -> makesTree(other, plan))) {
            due.add(plan);
          }
        }
      }
    }
  }

  private static boolean makesTree(CompactionPlan other, CompactionPlan plan) {
    return other.output() == null && other.targetStage() == plan.targetStage();
  }

  private static CompactionPlan plan(
      Forest forest, List<LogicalTree> inputs, KeySpan span, int stage, int targetStage) {
    LogicalTree output =
        stage == targetStage
            ? inputs.get(inputs.size() - 1)
            : lastAboveAll(forest.stage(targetStage), span);
    return output == null
        ? CompactionPlan.intoNewTree(forest, inputs, span, targetStage, Shape.REWRITES)
        : CompactionPlan.into(forest, output, inputs, span, Shape.REWRITES);
  }

  /** The oldest tree that, like all newer ones, holds nothing in a key range. */
  private static @Nullable LogicalTree lastAboveAll(List<LogicalTree> trees, KeySpan span) {
    LogicalTree last = null;
    for (LogicalTree tree : trees) {
      if (tree.holdsIn(span)) {
        break;
      }
      last = tree;
    }
    return last;
  }

  @Override
  public Guards guards(Forest forest, int stage) {
    int finer = FEWER_BITS_PER_STAGE * (Math.min(stage, STAGES) - 1);
    return stage == 1 ? Guards.NONE : Guards.of(forest, Math.max(FEWEST_BITS, guardBits - finer));
  }

  private Tiered forestOfAsManyTrees() {
    return new Tiered(Math.max(firstTrees, mostTrees + 1), false, Shape.REWRITES);
  }

  @Override
  public double score(Forest forest, CompactionPlan plan) {
    return forestOfAsManyTrees().score(forest, plan);
  }

  @Override
  public double debt(Forest forest) {
    return forestOfAsManyTrees().debt(forest);
  }

  @Override
  public int growthFactor() {
    return firstTrees;
  }

  @Override
  public int moreFilterBits(Forest forest, int stage) {
    return Rule.OfStages.moreFilterBits(forest, stage, mostTrees + 1);
  }
}
