package io.sifr.internal.compaction;

import io.sifr.internal.forest.Forest;
import java.util.Optional;
import java.util.function.IntPredicate;

/** Decides which trees are merged next. A pure function of the forest: it does nothing itself. */
public interface CompactionPolicy {
  /**
   * The next compaction that is due, lower stages first.
   *
   * @param isBusy whether a compaction with that source stage is running; at most one may (I1)
   */
  Optional<CompactionPlan> choose(Forest forest, IntPredicate isBusy);
}
