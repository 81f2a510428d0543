package io.sifr.internal.compaction;

import io.sifr.config.MergePolicy;
import io.sifr.config.StoreOptions;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which trees are merged because they are read, although no stage is full: the papers'
 * seek-triggered compaction (SoCC §6), for all kinds of reads. Pure functions of a forest and of
 * what its reads have wasted on having more than one tree.
 *
 * <p>What was wasted is the credit of such a merge, in bytes that compactions write in the same CPU
 * time. All trees of the lowest stages become one, in the highest of these stages, as soon as they
 * have wasted as much as it costs to merge them: their share of the credit, which is as large as
 * their share of the superfluous trees. So the bytes that are written for readers are never more
 * than what readers have wasted before, and less than twice of what they would be if the future
 * reads were known. A merge of all stages leaves one tree.
 *
 * @param price what a byte of a merge costs of the credit: 1, or less in tests, which read little
 * @param shape what becomes of the inputs
 */
public record ReadMerges(double price, Shape shape) {
  /** Never merges. */
  public static final ReadMerges NONE = new ReadMerges(Double.POSITIVE_INFINITY, Shape.MOVES);

  /** That of the options. */
  public static ReadMerges of(StoreOptions options) {
    if (options.readMergeBytesPerSecond() == 0) {
      return NONE;
    }
    boolean isWhole = options.mergePolicy() == MergePolicy.SIZE_TIERED;
    return new ReadMerges(1, isWhole ? Shape.WHOLE : Shape.MOVES);
  }

  /**
   * A merge that is due.
   *
   * @param plan what is merged
   * @param cost the part of the credit that is used up by it
   */
  public record Due(CompactionPlan plan, long cost) {}

  /**
   * The largest merge that a credit pays for. None while a compaction has begun: the forest is
   * about to have fewer trees.
   *
   * @param credit what reads have wasted, in bytes
   * @return null if there is none
   */
  public @Nullable Due due(Forest forest, long credit) {
    for (int stage = forest.stageCount(); stage > 0; stage--) {
      if (neededFor(forest, stage) <= credit) {
        List<LogicalTree> trees = upTo(forest, stage);
        CompactionPlan plan = CompactionPlan.forReads(forest, trees, stage, shape);
        return new Due(plan, (long) (credit * share(forest, trees)));
      }
    }
    return null;
  }

  /** The smallest credit with which a merge is due; {@link Long#MAX_VALUE} if none ever is. */
  public long needed(Forest forest) {
    long least = Long.MAX_VALUE;
    for (int stage = 1; stage <= forest.stageCount(); stage++) {
      least = Math.min(least, neededFor(forest, stage));
    }
    return least;
  }

  /** The credit that a merge of all stages up to one needs. */
  private long neededFor(Forest forest, int stage) {
    List<LogicalTree> trees = upTo(forest, stage);
    if (trees.size() < 2 || !forest.compactions().isEmpty()) {
      return Long.MAX_VALUE;
    }
    long bytes = trees.stream().mapToLong(LogicalTree::liveBytes).sum();
    return (long) Math.ceil(Math.max(1, bytes) * price / share(forest, trees));
  }

  /** How much of what is wasted a merge of some trees ends. */
  private static double share(Forest forest, List<LogicalTree> trees) {
    return (trees.size() - 1.0) / (forest.byPriority().size() - 1);
  }

  private static List<LogicalTree> upTo(Forest forest, int stage) {
    List<LogicalTree> trees = new ArrayList<>();
    for (int i = 1; i <= stage; i++) {
      trees.addAll(forest.stage(i));
    }
    return trees;
  }
}
