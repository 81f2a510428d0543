package io.sifr.internal.compaction;

import io.sifr.internal.forest.Forest;
import java.util.List;

/**
 * The rules by which the trees of a forest are merged. All methods are pure functions of a forest:
 * they see the compactions that have begun in it, and do nothing themselves. Each accepts any
 * forest, since a directory may have been written with other rules.
 */
public interface CompactionPolicy {
  /**
   * The compactions that are due, lower stages first. What conflicts with one that is about to
   * begin is left out by the caller.
   */
  List<CompactionPlan> due(Forest forest);

  /**
   * The most urgent of all that can begin does; of two as urgent as each other, the smaller one.
   */
  double urgency(Forest forest, CompactionPlan plan);

  /**
   * How much compactions lag behind: 0 and below, not at all; 1, as far as they ever should; above,
   * further. Writers are slowed down by it.
   */
  double debt(Forest forest);

  /**
   * Bits a key that the filters of a stage's SSTs have beyond those of the options. A stage that
   * holds less data than others can have more, which saves most of the useless reads.
   */
  int moreFilterBits(Forest forest, int stage);
}
