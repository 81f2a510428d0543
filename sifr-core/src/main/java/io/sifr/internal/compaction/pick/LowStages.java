package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import java.util.ArrayList;
import java.util.List;

/** The trees of the lowest stages, which are compacted for reads. */
final class LowStages {
  private LowStages() {}

  /** Those of the stages up to one. */
  static List<LogicalTree> trees(Forest forest, int stage) {
    List<LogicalTree> trees = new ArrayList<>();
    for (int i = 1; i <= stage; i++) {
      trees.addAll(forest.stage(i));
    }
    return trees;
  }

  /** What a compaction of them writes at most. */
  static long bytes(List<LogicalTree> trees) {
    return trees.stream().mapToLong(LogicalTree::liveBytes).sum();
  }

  /** How much of what reads waste a compaction of them ends. */
  static double share(Forest forest, List<LogicalTree> trees) {
    return (trees.size() - 1.0) / (forest.byPriority().size() - 1);
  }
}
