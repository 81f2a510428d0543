package io.sifr.testing;

import io.sifr.internal.compaction.pick.Rule;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Leveling, small and simple, to try what a policy can say: stage 1 as a forest, whose trees are
 * merged into the tree of stage 2 when there are enough; in each further stage one tree, of which a
 * span of one slice is merged into the next when it is too large. Several trees of such a stage, as
 * another policy leaves them, become one first. An SST of nothing but tombstones, with nothing
 * older below it, is dropped.
 *
 * @param firstTrees trees of stage 1 that are merged
 * @param firstBytes bytes that stage 2 may have; each further stage four times as many
 */
public record LeveledPolicy(int firstTrees, long firstBytes) implements Rule.OfStages {
  private static final int FACTOR = 4;
  private static final int LAST_STAGE = 6;

  @Override
  public List<CompactionPlan> due(Forest forest) {
    List<CompactionPlan> due = new ArrayList<>();
    add(due, forest, ofFirstStage(forest));
    for (int stage = 2; stage <= forest.stageCount(); stage++) {
      add(due, forest, ofStage(forest, stage));
    }
    forest.byPriority().forEach(tree -> addDrops(due, forest, tree));
    return due;
  }

  /** What a compaction that runs does not allow has to wait. */
  private static void add(List<CompactionPlan> due, Forest forest, @Nullable CompactionPlan plan) {
    if (plan != null) {
      try {
        var unused =
            forest.apply(
                new ForestEdit.CompactionBegun(
                    1, plan.compaction(Long.MAX_VALUE), plan.targetStage()));
        due.add(plan);
      } catch (IllegalArgumentException e) {
        // Another time.
      }
    }
  }

  private @Nullable CompactionPlan ofFirstStage(Forest forest) {
    List<LogicalTree> trees = forest.stage(1);
    if (trees.size() < firstTrees) {
      return null;
    }
    byte[] last =
        trees.stream()
            .map(tree -> tree.slices().get(tree.slices().size() - 1).largestKey())
            .max(Arrays::compareUnsigned)
            .orElseThrow();
    return downwards(forest, trees, KeySpan.upTo(last), 2);
  }

  private @Nullable CompactionPlan ofStage(Forest forest, int stage) {
    List<LogicalTree> trees = forest.stage(stage);
    if (trees.size() > 1) {
      return CompactionPlan.intoNewTree(forest, trees, KeySpan.ALL, stage, Shape.REWRITES);
    } else if (stage == LAST_STAGE || score(forest, stage) < 1) {
      return null;
    }
    int slices = trees.get(0).slices().size();
    int chosen = (int) (forest.flushedSequence() % slices);
    return downwards(forest, trees, spanOf(trees.get(0), chosen), stage + 1);
  }

  /** Into the tree of the stage, or the first one there. */
  private static @Nullable CompactionPlan downwards(
      Forest forest, List<LogicalTree> trees, KeySpan span, int stage) {
    List<LogicalTree> below = forest.stage(stage);
    if (below.isEmpty()) {
      return CompactionPlan.intoNewTree(forest, trees, span, stage, Shape.MOVES);
    } else if (below.size() > 1) {
      return null;
    }
    List<LogicalTree> inputs = new ArrayList<>(trees);
    if (below.get(0).holdsIn(span)) {
      inputs.add(below.get(0));
    }
    return CompactionPlan.into(forest, below.get(0), inputs, span, Shape.MOVES);
  }

  /** From the slice before it, so that none is left out. */
  private static KeySpan spanOf(LogicalTree tree, int slice) {
    byte[] above = slice == 0 ? null : tree.slices().get(slice - 1).largestKey();
    return new KeySpan(above, tree.slices().get(slice).largestKey());
  }

  private static void addDrops(List<CompactionPlan> due, Forest forest, LogicalTree tree) {
    List<LogicalTree> trees = forest.byPriority();
    List<LogicalTree> older = trees.subList(trees.indexOf(tree) + 1, trees.size());
    IntStream.range(0, tree.slices().size())
        .filter(i -> isDead(tree.slices().get(i)))
        .mapToObj(i -> spanOf(tree, i))
        .filter(span -> older.stream().noneMatch(other -> other.holdsIn(span)))
        .forEach(
            span ->
                add(
                    due,
                    forest,
                    CompactionPlan.into(forest, tree, List.of(tree), span, Shape.DROPS)));
  }

  private static boolean isDead(SstSlice slice) {
    return slice instanceof Sst sst && sst.meta().tombstones() == sst.meta().entries();
  }

  private double score(Forest forest, int stage) {
    if (stage == 1) {
      return (double) forest.stage(1).size() / firstTrees;
    }
    long bytes = forest.stage(stage).stream().mapToLong(LogicalTree::bytes).sum();
    return bytes / (firstBytes * Math.pow(FACTOR, stage - 2));
  }

  @Override
  public double score(Forest forest, CompactionPlan plan) {
    return score(forest, plan.sourceStage());
  }

  @Override
  public double debt(Forest forest) {
    return IntStream.rangeClosed(1, forest.stageCount())
            .mapToDouble(stage -> score(forest, stage))
            .max()
            .orElse(0)
        / 4;
  }

  @Override
  public int moreFilterBits(Forest forest, int stage) {
    return stage < forest.stageCount() ? 5 : 0;
  }
}
