package io.sifr.internal.compaction.pick;

import io.sifr.config.MergePolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.CompactionReason;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
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
 * <p>Where reads waste much more than elsewhere, the keys there are merged by themselves when they
 * have paid for it ({@link HotSpan}), from all trees into the oldest of these, part by part. What
 * is read little stays as it is, so that in a large store it need not be merged with the rest.
 *
 * <p>A store that nobody writes to is merged before anybody reads it, until at most {@value
 * #IDLE_TREES} trees are left. Such a merge writes at most as many bytes as were flushed since the
 * last one, so all of them together write no more than was flushed, however often writers pause.
 *
 * @param price what a byte of a merge costs of the credit: 1, more if blocks are compressed, or
 *     less in tests, which read little
 * @param shape what becomes of the inputs
 * @param idleMillis a store is idle when nobody has written for so long; {@link Long#MAX_VALUE}:
 *     none ever is
 */
public record ReadMerges(double price, Shape shape, long idleMillis) {
  /**
   * Of hot keys so much is merged at a time. The policy's compactions of the same trees wait for
   * it.
   */
  private static final long MOST_OF_A_SPAN = 256L << 20;

  /** An idle store ends as that many trees. To merge the last two would write the most. */
  static final int IDLE_TREES = 2;

  /** Pauses that are shorter are part of most loads. */
  private static final long IDLE_MILLIS = 10_000;

  /** Never merges. */
  public static final ReadMerges NONE =
      new ReadMerges(Double.POSITIVE_INFINITY, Shape.MOVES, Long.MAX_VALUE);

  /** That of the options. */
  public static ReadMerges of(StoreOptions options) {
    if (options.readMergeBytesPerSecond() == 0) {
      return NONE;
    }
    boolean isWhole = options.mergePolicy() == MergePolicy.SIZE_TIERED;
    Shape shape = isWhole ? Shape.WHOLE : Shape.MOVES;
    return new ReadMerges(Codecs.of(options.compression()).price(), shape, IDLE_MILLIS);
  }

  /**
   * A merge that is due.
   *
   * @param plan what is merged
   * @param cost the part of the credit that is used up by it
   */
  public record Due(CompactionPlan plan, long cost) {}

  /**
   * The largest merge of whole stages that a credit pays for. None while a compaction has begun:
   * the forest is about to have fewer trees.
   *
   * @param credit what reads have wasted, in bytes
   * @return null if there is none
   */
  public @Nullable Due due(Forest forest, long credit) {
    for (int stage = forest.stageCount(); stage > 0; stage--) {
      if (neededFor(forest, stage) <= credit) {
        List<LogicalTree> trees = upTo(forest, stage);
        return merge(forest, trees, stage, credit, CompactionReason.READS);
      }
    }
    return null;
  }

  /** The merge of all trees of the stages up to one. */
  private Due merge(
      Forest forest, List<LogicalTree> trees, int stage, long credit, CompactionReason reason) {
    CompactionPlan plan = CompactionPlan.forReads(forest, trees, stage, shape).because(reason);
    return new Due(plan, (long) (credit * share(forest, trees)));
  }

  /**
   * A merge of keys that are read much more than others, if none of whole stages is due yet. Takes
   * some nanoseconds for each SST of the forest.
   *
   * @param credit what reads have wasted, in bytes
   * @param keys of reads, drawn in proportion to what these have wasted; ascending
   * @return null if there is none
   */
  public @Nullable Due dueInSpan(Forest forest, long credit, List<byte[]> keys) {
    for (HotSpan hot : HotSpan.of(forest, keys)) {
      if (credit * hot.share() >= hot.bytes() * price) {
        HotSpan part = hot.beginning(forest, MOST_OF_A_SPAN);
        List<LogicalTree> trees = part.trees(forest);
        if (trees.size() > 1) {
          CompactionPlan plan = CompactionPlan.forReads(forest, trees, part.span(), shape);
          return new Due(plan, (long) (credit * part.share()));
        }
      }
    }
    return null;
  }

  /**
   * The merge of whole stages that is due in an idle store: the largest that is paid for, of as few
   * stages as leave {@value #IDLE_TREES} trees.
   *
   * @param flushed bytes, since the last of these merges
   * @param credit what reads have wasted, in bytes
   * @return null if there is none
   */
  public @Nullable Due dueWhenIdle(Forest forest, long flushed, long credit) {
    int excess = forest.byPriority().size() - IDLE_TREES;
    if (idleMillis == Long.MAX_VALUE || excess <= 0 || !forest.compactions().isEmpty()) {
      return null;
    }
    int stage = 1;
    while (stage < forest.stageCount() && upTo(forest, stage).size() <= excess) {
      stage++;
    }
    for (; stage > 0; stage--) {
      List<LogicalTree> trees = upTo(forest, stage);
      if (trees.size() > 1 && bytes(trees) <= flushed) {
        return merge(forest, trees, stage, credit, CompactionReason.IDLE);
      }
    }
    return null;
  }

  /**
   * The smallest credit with which a merge of whole stages is due; {@link Long#MAX_VALUE} if none
   * ever is.
   */
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
    return (long) Math.ceil(Math.max(1, bytes(trees)) * price / share(forest, trees));
  }

  private static long bytes(List<LogicalTree> trees) {
    return trees.stream().mapToLong(LogicalTree::liveBytes).sum();
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
