package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import java.util.List;
import java.util.function.Consumer;

/** Keeps the stages of a forest in some form. It looks at nothing but the forest. */
public interface StageRule extends Rule {
  /** What is due, lower stages first. */
  List<CompactionPlan> due(Forest forest);

  /** How urgent a compaction is; also of one that another rule has begun. */
  double score(Forest forest, CompactionPlan plan);

  @Override
  default Priority priority() {
    return Priority.NEEDED;
  }

  @Override
  default Look propose(Picture picture, Consumer<Proposal> due) {
    Forest forest = picture.forest();
    for (CompactionPlan plan : due(forest)) {
      due.accept(Proposal.scored(priority(), plan, score(forest, plan)));
    }
    return Look.NEVER;
  }
}
