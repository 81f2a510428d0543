package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.Guards;
import java.util.function.Consumer;

/**
 * Decides which compactions are due for one of the reasons that a {@link CompactionPicker} lists. A
 * pure function of a {@link Picture}. Accepts any forest, since a directory may have been written
 * under another policy.
 */
public interface Rule {
  /** That of all its proposals. */
  Priority priority();

  /**
   * Proposes what is due, lower stages first. The caller skips what conflicts with a compaction
   * that runs or is about to begin.
   *
   * @return when it may propose more although the forest stays the same; found with the proposals
   */
  Look propose(Picture picture, Consumer<Proposal> due);

  /**
   * How far what it proposes lags behind the writes: 0 and below, not at all; 1, as far as it ever
   * should; above, further. Writers are slowed down accordingly.
   */
  default double debt(Forest forest) {
    return 0;
  }

  /**
   * Filter bits per key of a stage's SSTs in addition to those of the options. A stage that holds
   * less data than others can have more, which saves most of the useless reads.
   */
  default int moreFilterBits(Forest forest, int stage) {
    return 0;
  }

  /**
   * How many times as large the trees of each further stage are, about; 0 if there is one stage.
   */
  default int growthFactor() {
    return 0;
  }

  /** Where the SSTs that compactions write for a stage are cut, whatever their size. */
  default Guards guards(Forest forest, int stage) {
    return Guards.NONE;
  }
}
