package io.sifr.internal.compaction.run;

import io.sifr.internal.compaction.pick.Priority;
import io.sifr.internal.compaction.pick.ReadMerges;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.WastedReads;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the compactions that are due because nobody writes to the store, before its reads have paid
 * for them.
 *
 * <p>Writers do nothing for it: whether they have written shows in the sequence number, which is
 * looked at when a compaction has ended, and again after some time if one would be due then. The
 * caller synchronizes.
 */
public final class IdleCompactions {
  private final ReadMerges rule;
  private final LongSupplier sequence;
  private final LongSupplier nanoTime;

  private long lastSequence;

  /** When {@link #sequence} was first seen at its last value. */
  private long since;

  private long millisLeft = Long.MAX_VALUE;

  /**
   * @param rule what is merged
   * @param sequence of the newest write to the store
   * @param nanoTime the time, in nanoseconds
   */
  public IdleCompactions(ReadMerges rule, LongSupplier sequence, LongSupplier nanoTime) {
    this.rule = rule;
    this.sequence = sequence;
    this.nanoTime = nanoTime;
    this.lastSequence = sequence.getAsLong();
    this.since = nanoTime.getAsLong();
  }

  /** All databases are going to be looked at, if nothing else is due. */
  void lookBegins() {
    millisLeft = Long.MAX_VALUE;
  }

  /** What is due in a database because the store is idle; null if nothing is. */
  @Nullable DueCompaction due(DatabaseHandle database) {
    WastedReads reads = database.wastedReads();
    ReadMerges.Due due =
        rule.dueWhenIdle(database.view().get().forest(), reads.flushed(), reads.credit());
    if (due == null) {
      return null;
    }
    long left = rule.idleMillis() - TimeUnit.NANOSECONDS.toMillis(nanosWithoutWrite());
    if (left > 0) {
      millisLeft = Math.min(millisLeft, left);
      return null;
    }
    return DueCompaction.forReads(database, due.plan(), Priority.IDLE, due.cost());
  }

  private long nanosWithoutWrite() {
    long newest = sequence.getAsLong();
    long now = nanoTime.getAsLong();
    if (newest != lastSequence) {
      lastSequence = newest;
      since = now;
    }
    return now - since;
  }

  /**
   * When to look again, because one is due then if nobody writes; {@link Long#MAX_VALUE}: never.
   */
  long millisLeft() {
    return millisLeft;
  }
}
