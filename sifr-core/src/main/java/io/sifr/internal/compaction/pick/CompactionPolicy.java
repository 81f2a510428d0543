package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.Guards;
import java.util.List;

/**
 * Decides which trees of a forest are merged. All methods are pure functions of a forest, which
 * includes the compactions that have begun. Each accepts any forest, since a directory may have
 * been written under another policy.
 */
public interface CompactionPolicy {
  /**
   * The compactions that are due, lower stages first. The caller skips those that conflict with one
   * that runs or is about to begin.
   */
  List<CompactionPlan> due(Forest forest);

  /**
   * The urgency of a compaction: the most urgent one begins first; of equally urgent ones, the
   * smaller.
   */
  double urgency(Forest forest, CompactionPlan plan);

  /**
   * How far compactions lag behind the writes: 0 and below, not at all; 1, as far as they ever
   * should; above, further. Writers are slowed down accordingly.
   */
  double debt(Forest forest);

  /**
   * Filter bits per key of a stage's SSTs in addition to those of the options. A stage that holds
   * less data than others can have more, which saves most of the useless reads.
   */
  int moreFilterBits(Forest forest, int stage);

  /** Where the SSTs that compactions write for a stage are cut, whatever their size. */
  default Guards guards(Forest forest, int stage) {
    return Guards.NONE;
  }
}
