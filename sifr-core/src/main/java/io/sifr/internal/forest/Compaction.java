package io.sifr.internal.forest;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A compaction that has begun and not ended, as the manifest knows it: the compaction journal (TPDS
 * §4.3). It owns the remaining key ranges of its trees. Immutable.
 *
 * <p>I2: what the input trees held within the key ranges it has compacted is in the output tree
 * only, and the trees of the forest are clipped accordingly. The remaining key ranges say where it
 * is resumed, in this process or after a crash in the next. What was compacted never comes back.
 *
 * @param number identifies it; no other compaction, tree or file of the store ever has this number
 * @param inputTreeIds the trees it compacts, highest priority first
 * @param outputTreeId the tree it writes to: an input, a tree that held nothing in its key ranges
 *     when it began, or a new one
 * @param shape what becomes of the inputs
 * @param remaining the keys it has still to compact, ascending and disjoint
 */
public record Compaction(
    long number, List<Long> inputTreeIds, long outputTreeId, Shape shape, List<KeySpan> remaining) {

  /** The way in which the inputs are compacted. */
  public enum Shape {
    /** SSTs that overlap no other are moved; others are rewritten, split at the split unit. */
    MOVES,
    /** All are rewritten, split at the split unit, which also drops obsolete entries. */
    REWRITES,
    /** All are rewritten, as few SSTs as the format allows. */
    WHOLE,
    /** They are dropped: nothing is written, and no SST is read. */
    DROPS
  }

  /** A copy that cannot be changed. */
  public Compaction {
    inputTreeIds = List.copyOf(inputTreeIds);
    remaining = List.copyOf(remaining);
  }

  /** Whether the tree is an input or the output. */
  public boolean uses(long treeId) {
    return treeId == outputTreeId || inputTreeIds.contains(treeId);
  }

  /** Whether both use some tree within the same keys. */
  boolean conflictsWith(Compaction other) {
    return Stream.concat(inputTreeIds.stream(), Stream.of(outputTreeId)).anyMatch(other::uses)
        && KeySpan.overlap(remaining, other.remaining);
  }

  /**
   * This compaction after one more key range was compacted.
   *
   * @throws IllegalArgumentException when the key range is not one of its own, or was compacted
   *     before
   */
  Compaction having(KeySpan merged) {
    List<KeySpan> left = new ArrayList<>(remaining.size() + 1);
    boolean found = false;
    for (KeySpan span : remaining) {
      if (span.contains(merged)) {
        left.addAll(span.without(merged));
        found = true;
      } else {
        left.add(span);
      }
    }
    if (!found) {
      throw new IllegalArgumentException(
          "compaction "
              + number
              + " does not own these keys, or has compacted some of them already");
    }
    return new Compaction(number, inputTreeIds, outputTreeId, shape, left);
  }

  private boolean mayWrite(long treeId, KeySpan span) {
    return treeId == outputTreeId
        && shape != Shape.DROPS
        && KeySpan.overlap(remaining, List.of(span));
  }

  /**
   * What a compaction processes takes the output's priority instead of the inputs'. So among the
   * trees that hold anything in a key range, or are going to, no other may lie between its own
   * (I1).
   *
   * @param trees all trees of the forest, highest priority first
   * @param others its compactions
   * @throws IllegalArgumentException when others come between them, or the output holds something
   *     in the key range and is no input
   */
  void checkKeepsPriority(List<LogicalTree> trees, List<Compaction> others) {
    for (KeySpan span : remaining) {
      List<LogicalTree> there =
          trees.stream()
              .filter(
                  tree ->
                      tree.holdsIn(span)
                          || others.stream().anyMatch(other -> other.mayWrite(tree.id(), span)))
              .dropWhile(tree -> !uses(tree.id()))
              .toList();
      long own = there.stream().filter(tree -> uses(tree.id())).count();
      for (LogicalTree tree : there.subList(0, (int) own)) {
        boolean isForeign = !inputTreeIds.contains(tree.id()) && tree.holdsIn(span);
        if (isForeign || !uses(tree.id())) {
          throw new IllegalArgumentException(
              String.format(
                  "tree %d would change its order with compaction %d of %s into %d",
                  tree.id(), number, inputTreeIds, outputTreeId));
        }
      }
    }
  }
}
