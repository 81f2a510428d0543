package io.sifr.internal.compaction.pick;

import io.sifr.event.CompactionReason;
import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the space of overwritten and deleted entries. When a forest is larger than its live data
 * by more than a factor, the oldest trees are compacted into one, which drops most dead bytes for
 * each byte that is written: as many trees as have the best proportion. Where nothing is
 * overwritten, nothing is due, so that other loads cost nothing more.
 *
 * <p>Values in value files are not moved by that, so it costs nothing to find out which are no
 * longer needed but the bytes of the SSTs: a part of what their own limit allows is enough to do
 * it. What comes of it is for {@link ValueSpace}, unless whole files are free then.
 *
 * <p>The trees become trees of the last stage first. So the stages before that are free for the
 * other compactions, however long it takes.
 *
 * @param maxAmplification bytes of the forest per live byte, above 1
 * @param writeBufferBytes the least live data a forest is taken to have, so that small forests are
 *     not compacted for little
 * @param shape what becomes of the SSTs
 */
record Space(double maxAmplification, long writeBufferBytes, Compaction.Shape shape)
    implements Rule {
  /**
   * Trees are compacted if that frees at least this share of what the limit allows for their live
   * data. Less is left for later: newer trees that are in use hold the rest of what is dead.
   */
  static final double WORTHWHILE = 0.5;

  /** Hidden values are found out when they are that share of what may be there beside live ones. */
  private static final double HIDDEN_SHARE = 0.25;

  @Override
  public Priority priority() {
    return Priority.SPACE;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    CompactionPlan plan = plan(picture.forest());
    if (plan != null) {
      due.accept(Proposal.of(priority(), plan));
    }
    return Look.NEVER;
  }

  private @Nullable CompactionPlan plan(Forest forest) {
    List<LogicalTree> trees = forest.byPriority();
    int last = trees.size() - 1;
    if (last < 1 || forest.isInUse(trees.get(last))) {
      return null;
    }
    SpaceEstimate estimate = SpaceEstimate.of(forest);
    double mostHidden = HIDDEN_SHARE * allowed(estimate.liveValueBytes());
    boolean isTooMuch = estimate.deadBytes() > allowed(estimate.liveBytes());
    if (!isTooMuch && estimate.hiddenValueBytes() <= mostHidden) {
      return null;
    }
    int best = -1;
    double bestGain = WORTHWHILE;
    long bytes = trees.get(last).bytes();
    for (int i = last - 1; i >= 0 && !forest.isInUse(trees.get(i)); i--) {
      bytes += trees.get(i).bytes();
      long dead = estimate.deadBytesFrom(i);
      long hidden = estimate.hiddenValueBytesFrom(i);
      double may = allowed(bytes - dead);
      boolean isWorth = dead / may > WORTHWHILE || hidden > mostHidden;
      double gain = (dead + hidden) / may;
      if (isWorth && gain > bestGain) {
        bestGain = gain;
        best = i;
      }
    }
    return best < 0
        ? null
        : CompactionPlan.gathering(forest, trees.subList(best, last + 1), shape)
            .because(CompactionReason.SPACE);
  }

  private double allowed(long liveBytes) {
    return allowed(maxAmplification, liveBytes, writeBufferBytes);
  }

  /** Dead bytes that may be there beside live ones. */
  static double allowed(double maxAmplification, long liveBytes, long writeBufferBytes) {
    return (maxAmplification - 1) * Math.max(liveBytes, writeBufferBytes);
  }
}
