package io.sifr.internal.forest;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The order of the trees of a forest: those of each stage, newest first. Trees that compactions use
 * stay in it even when they are empty. Immutable.
 *
 * @param stages those of stage 1 first
 */
record TreeOrder(List<List<LogicalTree>> stages) {
  /** The order of a forest without trees. */
  static final TreeOrder NONE = new TreeOrder(List.of());

  /** A copy that cannot be changed. */
  TreeOrder {
    stages = List.copyOf(stages);
  }

  /** All trees, highest priority first. */
  List<LogicalTree> all() {
    List<LogicalTree> all = new ArrayList<>();
    stages.forEach(all::addAll);
    return List.copyOf(all);
  }

  /**
   * The trees of a stage.
   *
   * @throws IllegalArgumentException when it is not 1 to {@link Forest#MAX_STAGES}
   */
  List<LogicalTree> stage(int number) {
    if (number < 1 || number > Forest.MAX_STAGES) {
      throw new IllegalArgumentException(
          "stage is " + number + "; allowed: 1 to " + Forest.MAX_STAGES);
    }
    return number <= stages.size() ? stages.get(number - 1) : List.of();
  }

  /** The stage of the tree with that id; 0 when there is none. */
  int stageOf(long treeId) {
    for (int i = 0; i < stages.size(); i++) {
      if (stages.get(i).stream().anyMatch(tree -> tree.id() == treeId)) {
        return i + 1;
      }
    }
    return 0;
  }

  /**
   * This order with more trees.
   *
   * @param newer how many trees of the stage are newer
   */
  TreeOrder with(int stage, int newer, List<LogicalTree> more) {
    List<LogicalTree> trees = new ArrayList<>(stage(stage));
    trees.addAll(newer, more);
    List<List<LogicalTree>> changed = new ArrayList<>(stages);
    while (changed.size() < stage) {
      changed.add(List.of());
    }
    changed.set(stage - 1, List.copyOf(trees));
    return new TreeOrder(changed);
  }

  /** This order with each tree replaced. */
  TreeOrder map(UnaryOperator<LogicalTree> change) {
    List<List<LogicalTree>> changed = new ArrayList<>(stages.size());
    for (List<LogicalTree> trees : stages) {
      List<LogicalTree> copy = new ArrayList<>(trees);
      copy.replaceAll(change);
      changed.add(List.copyOf(copy));
    }
    return new TreeOrder(changed);
  }

  /** This order without some trees. */
  TreeOrder without(Predicate<LogicalTree> gone) {
    List<List<LogicalTree>> left = new ArrayList<>();
    int highest = 0;
    for (List<LogicalTree> trees : stages) {
      List<LogicalTree> copy = new ArrayList<>(trees);
      left.add(copy.removeIf(gone) ? List.copyOf(copy) : trees);
      highest = left.get(left.size() - 1).isEmpty() ? highest : left.size();
    }
    return new TreeOrder(left.subList(0, highest));
  }
}
