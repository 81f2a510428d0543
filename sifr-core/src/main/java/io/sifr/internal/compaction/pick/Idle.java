package io.sifr.internal.compaction.pick;

import io.sifr.event.CompactionReason;
import io.sifr.internal.compaction.pick.Reads.LowStages;
import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store that nobody writes to is compacted before anybody reads it, until at most {@value #TREES}
 * trees are left. Such a compaction writes at most as many bytes as were flushed since the last
 * one, so all of them together write no more than was flushed, however often writers pause.
 *
 * @param shape what becomes of the inputs
 * @param idleMillis a store is idle when nobody has written for so long
 */
public record Idle(Shape shape, long idleMillis) implements Rule {
  /** An idle store ends as that many trees. To compact the last two would write the most. */
  static final int TREES = 2;

  /** Pauses that are shorter are part of most loads. */
  static final long MILLIS = 10_000;

  @Override
  public Priority priority() {
    return Priority.IDLE;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    Picture.ReadCost reads = picture.reads();
    Proposal proposal = due(picture.forest(), reads.flushed(), reads.credit());
    if (proposal == null) {
      return Look.NEVER;
    }
    if (picture.idleMillis() < idleMillis) {
      return Look.whenIdleFor(idleMillis);
    }
    due.accept(proposal);
    return Look.NEVER;
  }

  /**
   * The compaction of whole stages that is due in an idle store: the largest that is paid for, of
   * as few stages as leave {@value #TREES} trees.
   *
   * @param flushed bytes, since the last of these compactions
   * @param credit what reads have wasted, in bytes
   * @return null if there is none
   */
  @Nullable Proposal due(Forest forest, long flushed, long credit) {
    int excess = forest.byPriority().size() - TREES;
    if (excess <= 0 || !forest.compactions().isEmpty()) {
      return null;
    }
    int stage = 1;
    while (stage < forest.stageCount() && LowStages.trees(forest, stage).size() <= excess) {
      stage++;
    }
    for (; stage > 0; stage--) {
      List<LogicalTree> trees = LowStages.trees(forest, stage);
      if (trees.size() > 1 && LowStages.bytes(trees) <= flushed) {
        CompactionPlan plan =
            CompactionPlan.forReads(forest, trees, stage, shape).because(CompactionReason.IDLE);
        return Proposal.paid(Priority.IDLE, plan, (long) (credit * LowStages.share(forest, trees)));
      }
    }
    return null;
  }
}
