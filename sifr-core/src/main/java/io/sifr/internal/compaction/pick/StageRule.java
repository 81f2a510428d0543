package io.sifr.internal.compaction.pick;

import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
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

  /**
   * The bits per key that the filters of a low stage have in addition to those of the last one,
   * each stage being so many times as large as the one before. They are checked by nearly every
   * read, and take little memory. With f times the entries in each further stage, useless reads are
   * fewest when each stage's rate of false positives is one f-th of the next one's (Monkey, SIGMOD
   * 2017, §4.1): log2(f) / ln 2 bits, which are 2.9 for f = 4 and 4.8 for f = 10.
   */
  static int moreFilterBits(Forest forest, int stage, int factor) {
    int further = Math.max(0, forest.stageCount() - stage);
    return further * (int) Math.round(Math.log(factor) / (Math.log(2) * Math.log(2)));
  }
}
