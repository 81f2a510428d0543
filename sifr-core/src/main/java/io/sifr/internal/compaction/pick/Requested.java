package io.sifr.internal.compaction.pick;

import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import java.util.function.Consumer;

/** The next compaction of those that merge what a caller wants merged. */
record Requested() implements Rule {
  @Override
  public Priority priority() {
    return Priority.REQUESTED;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    Forest forest = picture.forest();
    Picture.Request request = picture.request();
    if (request != null) {
      CompactionPlan plan =
          request.fromStage() == 0
              ? CompactionPlan.ofAll(forest)
              : CompactionPlan.downwards(forest, request.span(), request.fromStage());
      if (plan != null) {
        due.accept(Proposal.of(priority(), plan));
      }
    }
    return Look.NEVER;
  }
}
