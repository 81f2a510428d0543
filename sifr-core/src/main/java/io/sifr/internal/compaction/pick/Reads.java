package io.sifr.internal.compaction.pick;

import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Compacts trees because they are read, although no stage is full: the papers' seek-triggered
 * compaction (SoCC §6), for all kinds of reads. Looks at what the reads of a forest have wasted on
 * its having more than one tree.
 *
 * <p>What was wasted is the credit of such a compaction, in bytes that compactions write in the
 * same CPU time. All trees of the lowest stages become one, in the highest of these stages, as soon
 * as they have wasted as much as it costs to compact them: their share of the credit, which is as
 * large as their share of the superfluous trees. So the bytes that are written for readers are
 * never more than what readers have wasted before, and less than twice of what they would be if the
 * future reads were known. A compaction of all stages leaves one tree.
 *
 * <p>Where reads waste much more than elsewhere, the keys there are compacted by themselves when
 * they have paid for it ({@link HotSpan}), from all trees into the oldest of these, part by part.
 * What is read little stays as it is, so that in a large store it need not be compacted with the
 * rest.
 *
 * @param price what a byte of a compaction costs of the credit: 1, more if blocks are compressed,
 *     or less in tests, which read little
 * @param shape what becomes of the inputs
 */
public record Reads(double price, Shape shape) implements Rule {
  /**
   * Of hot keys so much is compacted at a time. The policy's compactions of the same trees wait for
   * it.
   */
  private static final long MOST_OF_A_SPAN = 256L << 20;

  @Override
  public Priority priority() {
    return Priority.READS;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    Forest forest = picture.forest();
    long credit = picture.reads().credit();
    long needed = needed(forest);
    Proposal proposal = due(forest, credit);
    if (proposal == null && needed < Look.NO_NEED) {
      proposal = dueInSpan(forest, credit, picture.reads().keys());
    }
    if (proposal == null) {
      return Look.withCredit(needed);
    }
    due.accept(proposal);
    return Look.NEVER;
  }

  /**
   * The largest compaction of whole stages that a credit pays for. None while a compaction has
   * begun: the forest is about to have fewer trees.
   *
   * @param credit what reads have wasted, in bytes
   * @return null if there is none
   */
  @Nullable Proposal due(Forest forest, long credit) {
    for (int stage = forest.stageCount(); stage > 0; stage--) {
      if (neededFor(forest, stage) <= credit) {
        List<LogicalTree> trees = LowStages.trees(forest, stage);
        CompactionPlan plan = CompactionPlan.forReads(forest, trees, stage, shape);
        return Proposal.paid(
            Priority.READS, plan, (long) (credit * LowStages.share(forest, trees)));
      }
    }
    return null;
  }

  /**
   * A compaction of keys that are read much more than others, if none of whole stages is due yet.
   * Takes some nanoseconds for each SST of the forest.
   *
   * @param credit what reads have wasted, in bytes
   * @param keys of reads, drawn in proportion to what these have wasted; ascending
   * @return null if there is none
   */
  @Nullable Proposal dueInSpan(Forest forest, long credit, List<byte[]> keys) {
    for (HotSpan hot : HotSpan.of(forest, keys)) {
      if (credit * hot.share() >= hot.bytes() * price) {
        HotSpan part = hot.beginning(forest, MOST_OF_A_SPAN);
        List<LogicalTree> trees = part.trees(forest);
        if (trees.size() > 1) {
          CompactionPlan plan = CompactionPlan.forReads(forest, trees, part.span(), shape);
          return Proposal.paid(Priority.READS, plan, (long) (credit * part.share()));
        }
      }
    }
    return null;
  }

  /**
   * The smallest credit with which a compaction of whole stages is due; {@link Look#NO_NEED} if
   * none ever is.
   */
  long needed(Forest forest) {
    long least = Look.NO_NEED;
    for (int stage = 1; stage <= forest.stageCount(); stage++) {
      least = Math.min(least, neededFor(forest, stage));
    }
    return least;
  }

  /** The credit that a compaction of all stages up to one needs. */
  private long neededFor(Forest forest, int stage) {
    List<LogicalTree> trees = LowStages.trees(forest, stage);
    if (trees.size() < 2 || !forest.compactions().isEmpty()) {
      return Look.NO_NEED;
    }
    long bytes = LowStages.bytes(trees);
    return (long) Math.ceil(Math.max(1, bytes) * price / LowStages.share(forest, trees));
  }

  /** The trees of the lowest stages, which are merged for reads. */
  static final class LowStages {
    private LowStages() {}

    /** Those of the stages up to one. */
    static List<LogicalTree> trees(Forest forest, int stage) {
      List<LogicalTree> trees = new ArrayList<>();
      for (int i = 1; i <= stage; i++) {
        trees.addAll(forest.stage(i));
      }
      return trees;
    }

    /** What a merge of them writes at most. */
    static long bytes(List<LogicalTree> trees) {
      return trees.stream().mapToLong(LogicalTree::liveBytes).sum();
    }

    /** How much of what reads waste a merge of them ends. */
    static double share(Forest forest, List<LogicalTree> trees) {
      return (trees.size() - 1.0) / (forest.byPriority().size() - 1);
    }
  }
}
