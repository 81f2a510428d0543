package io.sifr.internal.compaction;

import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import java.util.ArrayList;
import java.util.List;

/**
 * Which trees become one. Fixed when the compaction begins, so that what it decides does not depend
 * on what happens meanwhile.
 *
 * @param databaseId the database
 * @param database its name
 * @param sourceStage stage the inputs come from; the target stage when they come from several
 * @param targetStage stage whose newest tree the output becomes
 * @param inputs trees to merge, the most believed first
 * @param rewritesAll whether SSTs that overlap nothing are rewritten too instead of moved, to be
 *     rid of what they hold in vain
 * @param older trees that are believed less than the inputs: as long as one of them may hold a key,
 *     a tombstone for it must stay. Merges among them cannot bring in keys they do not hold now, so
 *     the list stays right
 */
public record CompactionPlan(
    int databaseId,
    String database,
    int sourceStage,
    int targetStage,
    List<LogicalTree> inputs,
    boolean rewritesAll,
    List<LogicalTree> older) {
  /** A copy that nobody can change. */
  public CompactionPlan {
    inputs = List.copyOf(inputs);
    older = List.copyOf(older);
  }

  /** Merges the {@code count} oldest trees of a stage, that are in no merge, into the next. */
  static CompactionPlan ofOldest(Forest forest, int stage, int count) {
    List<LogicalTree> trees = forest.idleTrees(stage);
    return of(forest, stage, stage + 1, trees.subList(trees.size() - count, trees.size()), false);
  }

  /**
   * Merges all trees into one of the highest stage in use, but not stage 1: flushes come in there
   * meanwhile. The inputs are in the way of no other merge: when it begins they all come to that
   * stage, as its oldest.
   */
  public static CompactionPlan ofAll(Forest forest) {
    int target = Math.max(2, forest.stageCount());
    return of(forest, target, target, forest.byPriority(), true);
  }

  /** Goes on with a merge where it stopped. */
  public static CompactionPlan ofRest(Forest forest, Compaction merge) {
    return of(
        forest,
        merge.sourceStage(),
        merge.targetStage(),
        forest.trees(merge.inputTreeIds()),
        merge.rewritesAll());
  }

  private static CompactionPlan of(
      Forest forest,
      int sourceStage,
      int targetStage,
      List<LogicalTree> inputs,
      boolean rewritesAll) {
    List<LogicalTree> older = new ArrayList<>();
    boolean isBelow = false;
    for (LogicalTree tree : forest.byPriority()) {
      if (inputs.contains(tree)) {
        isBelow = true;
      } else if (isBelow && !isOutputOf(forest, tree, inputs)) {
        older.add(tree);
      }
    }
    return new CompactionPlan(
        forest.databaseId(), forest.name(), sourceStage, targetStage, inputs, rewritesAll, older);
  }

  /**
   * Whether a tree is what a merge of the inputs has written so far: it holds none of their keys.
   */
  private static boolean isOutputOf(Forest forest, LogicalTree tree, List<LogicalTree> inputs) {
    return forest
        .merge(tree.id())
        .filter(merge -> merge.inputTreeIds().contains(inputs.get(0).id()))
        .isPresent();
  }

  /** SSTs of all inputs. */
  public int inputSsts() {
    return inputs.stream().mapToInt(tree -> tree.ssts().size()).sum();
  }
}
