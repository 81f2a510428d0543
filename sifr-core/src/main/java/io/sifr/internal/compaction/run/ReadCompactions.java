package io.sifr.internal.compaction.run;

import io.sifr.internal.compaction.pick.Priority;
import io.sifr.internal.compaction.pick.ReadMerges;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.WastedReads;
import org.jspecify.annotations.Nullable;

/**
 * Finds the compactions that readers have paid for by what they have wasted. They are the least
 * urgent: one is due only in a store where nothing else is due or runs.
 *
 * <p>There is no timer. A read with which the credit reaches what the next one costs wakes the
 * background, once.
 */
public final class ReadCompactions {
  private final ReadMerges rule;
  private final Runnable wake;

  /**
   * @param rule what is merged
   * @param wake has the background look for what is due; called by readers, so it must not wait
   */
  public ReadCompactions(ReadMerges rule, Runnable wake) {
    this.rule = rule;
    this.wake = wake;
  }

  /** What is due in a database because it is read; null if nothing is. */
  @Nullable DueCompaction due(DatabaseHandle database) {
    WastedReads wasted = database.wastedReads();
    Forest forest = database.view().get().forest();
    long credit = wasted.credit();
    long needed = rule.needed(forest);
    ReadMerges.Due due = rule.due(forest, credit);
    if (due == null && needed < Long.MAX_VALUE) {
      due = dueInSpan(wasted, forest, credit);
      needed = Math.min(needed, wasted.nextLook());
    }
    // As long as one is due there is nothing to be woken for.
    wasted.whenReached(due == null ? needed : Long.MAX_VALUE, wake);
    return due == null
        ? null
        : DueCompaction.forReads(database, due.plan(), Priority.READS, due.cost());
  }

  private ReadMerges.@Nullable Due dueInSpan(WastedReads wasted, Forest forest, long credit) {
    if (!wasted.isToBeLookedAt()) {
      return null;
    }
    ReadMerges.Due due = rule.dueInSpan(forest, credit, wasted.keys());
    if (due == null) {
      wasted.looked();
    }
    return due;
  }
}
