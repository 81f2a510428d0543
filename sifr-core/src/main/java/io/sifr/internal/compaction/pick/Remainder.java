package io.sifr.internal.compaction.pick;

import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import java.util.function.Consumer;
import java.util.function.ToDoubleBiFunction;

/**
 * Resumes compactions that have begun according to the manifest, for whatever reason.
 *
 * @param score how urgent one is
 */
record Remainder(ToDoubleBiFunction<Forest, CompactionPlan> score) implements Rule {
  @Override
  public Priority priority() {
    return Priority.NEEDED;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    Forest forest = picture.forest();
    for (Compaction begun : forest.compactions()) {
      CompactionPlan plan = CompactionPlan.remainder(forest, begun);
      due.accept(Proposal.scored(priority(), plan, score.applyAsDouble(forest, plan)));
    }
    return Look.NEVER;
  }
}
