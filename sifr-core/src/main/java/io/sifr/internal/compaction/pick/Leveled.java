package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Leveling as LevelDB does it, by key ranges: stage 1 is a forest, each further stage one tree.
 * When stage 1 has enough trees, all are compacted into stage 2. Of a further stage that is larger
 * than its limit, a key range of one SST, or of a few, is compacted into the next; the next one
 * begins where the last one ended, round robin. Where LevelDB rewrites each SST that overlaps the
 * key range as a whole, those at its ends are clipped.
 *
 * <p>Nothing of that is stored: the last key range ended where the newest SST of the next stage
 * ends.
 *
 * @param firstTrees trees of stage 1 that are compacted
 * @param firstBytes largest size of stage 2
 * @param factor how many times as large each further stage may be
 * @param splitUnitBytes size of SSTs
 */
record Leveled(int firstTrees, long firstBytes, int factor, long splitUnitBytes)
    implements Rule.OfStages {
  /** A stage that is larger than its limit by this has several SSTs compacted at once. */
  private static final double MUCH = 1.5;

  private static final int SSTS_OF_A_LARGE_SPAN = 4;

  /**
   * The keys between two key ranges are compacted with the second if it is less than such a share.
   */
  private static final int SMALL_PER_SPLIT_UNIT = 4;

  /** Trees of stage 1, and sizes of others, in relation to their limits, that are normal. */
  private static final double NORMAL = 2;

  @Override
  public List<CompactionPlan> due(Forest forest) {
    return due(forest, 1);
  }

  /** As above, of a stage and all further ones. */
  List<CompactionPlan> due(Forest forest, int firstStage) {
    List<CompactionPlan> due = new ArrayList<>();
    for (int stage = firstStage; stage <= forest.stageCount(); stage++) {
      CompactionPlan plan = ofStage(forest, stage);
      if (plan != null) {
        due.add(plan);
      }
    }
    return due;
  }

  private @Nullable CompactionPlan ofStage(Forest forest, int stage) {
    List<LogicalTree> trees = forest.stage(stage);
    if (!forest.isIdle(stage, KeySpan.ALL)) {
      return null;
    } else if (stage > 1 && trees.size() > 1) { // as another policy leaves them
      return CompactionPlan.intoNewTree(forest, trees, KeySpan.ALL, stage, Shape.MOVES);
    } else if (score(forest, stage) < 1 || !forest.isIdle(stage + 1, KeySpan.ALL)) {
      return null;
    }
    List<LogicalTree> next = forest.stage(stage + 1);
    if (next.size() > 1) {
      return null;
    } else if (stage == 1) {
      KeySpan span = next.isEmpty() ? KeySpan.ALL : spanOf(trees);
      return downwards(forest, trees, span, stage + 1);
    }
    return downwards(forest, trees, spanOf(trees.get(0), next, score(forest, stage)), stage + 1);
  }

  /** Into the tree of a stage, or the first one there. */
  static CompactionPlan downwards(Forest forest, List<LogicalTree> trees, KeySpan span, int stage) {
    List<LogicalTree> next = forest.stage(stage);
    if (next.isEmpty()) {
      return CompactionPlan.intoNewTree(forest, trees, span, stage, Shape.MOVES);
    }
    List<LogicalTree> inputs = new ArrayList<>(trees);
    if (next.get(0).holdsIn(span)) {
      inputs.add(next.get(0));
    }
    return CompactionPlan.into(forest, next.get(0), inputs, span, Shape.MOVES);
  }

  /** The key range of all that trees hold. */
  private static KeySpan spanOf(List<LogicalTree> trees) {
    byte[] first =
        trees.stream()
            .map(tree -> tree.slices().get(0).smallestKey())
            .min(Arrays::compareUnsigned)
            .orElseThrow();
    byte[] last =
        trees.stream()
            .map(tree -> tree.slices().get(tree.slices().size() - 1).largestKey())
            .max(Arrays::compareUnsigned)
            .orElseThrow();
    return new KeySpan(KeySpan.before(first), last);
  }

  /** The next key range of a tree that is compacted with the tree of the next stage. */
  private KeySpan spanOf(LogicalTree tree, List<LogicalTree> next, double score) {
    List<SstSlice> slices = tree.slices();
    byte[] reached = next.isEmpty() ? null : reached(next.get(0));
    int first = reached == null ? 0 : tree.firstEndingAtOrAfter(reached, 0, reached.length);
    if (first == slices.size()) {
      first = 0;
    }
    int count = score < MUCH ? 1 : SSTS_OF_A_LARGE_SPAN;
    int last = Math.min(slices.size(), first + count) - 1;
    byte[] end = slices.get(last).largestKey();
    byte[] begin = slices.get(first).smallestKey();
    if (reached != null && Arrays.compareUnsigned(reached, end) <= 0) {
      byte @Nullable [] aboveReached = KeySpan.before(reached);
      // What an SST holds before that has come since: it is less than elsewhere.
      boolean isWithin = Arrays.compareUnsigned(begin, reached) <= 0;
      if (isWithin || isLittle(next.get(0), new KeySpan(aboveReached, begin))) {
        return new KeySpan(aboveReached, end);
      }
    }
    return new KeySpan(KeySpan.before(begin), end);
  }

  /** The key after the newest SST. */
  private static byte[] reached(LogicalTree tree) {
    SstSlice newest =
        Collections.max(tree.slices(), Comparator.comparingLong(slice -> slice.sst().number()));
    return Bytes.successor(newest.largestKey());
  }

  /**
   * Whether a tree holds so little in a key range that it is better compacted: else a file would
   * stay for a few keys.
   */
  private boolean isLittle(LogicalTree tree, KeySpan span) {
    return tree.slicesIn(span).size() <= 2
        && tree.within(span).liveBytes() < splitUnitBytes / SMALL_PER_SPLIT_UNIT;
  }

  /** How large a stage is in relation to its limit. */
  private double score(Forest forest, int stage) {
    if (stage == 1) {
      return (double) forest.stage(1).size() / firstTrees;
    }
    long bytes = forest.stage(stage).stream().mapToLong(LogicalTree::liveBytes).sum();
    return bytes / (firstBytes * Math.pow(factor, stage - 2));
  }

  @Override
  public double score(Forest forest, CompactionPlan plan) {
    return score(forest, plan.sourceStage());
  }

  /** As LevelDB, which slows writers at twice as many trees of stage 1 as it compacts. */
  @Override
  public double debt(Forest forest) {
    return debt(forest, 1);
  }

  /** As above, of a stage and all further ones. */
  double debt(Forest forest, int firstStage) {
    double most =
        IntStream.rangeClosed(firstStage, forest.stageCount())
            .mapToDouble(stage -> score(forest, stage))
            .max()
            .orElse(0);
    return most - NORMAL;
  }

  @Override
  public int growthFactor() {
    return firstTrees;
  }

  @Override
  public int moreFilterBits(Forest forest, int stage) {
    return Rule.OfStages.moreFilterBits(forest, stage, factor);
  }
}
