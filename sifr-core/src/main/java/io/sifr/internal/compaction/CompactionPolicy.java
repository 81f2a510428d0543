package io.sifr.internal.compaction;

import io.sifr.internal.forest.Forest;
import java.util.List;
import java.util.function.IntPredicate;

/** Decides which trees are to be merged. A pure function of the forest: it does nothing itself. */
public interface CompactionPolicy {
  /**
   * The compactions that are due, at most one a source stage, lower stages first.
   *
   * @param isBusy whether a compaction with that source stage is running; at most one may (I1)
   */
  List<CompactionPlan> due(Forest forest, IntPredicate isBusy);
}
