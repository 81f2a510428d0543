package io.sifr.internal.engine.index;

import io.sifr.internal.engine.read.CursorHandle;
import io.sifr.internal.engine.read.EntryCursor;
import io.sifr.internal.engine.read.ReadPath;
import io.sifr.internal.search.RangePlan;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.view.Snapshots;
import org.jspecify.annotations.Nullable;

/**
 * The reads of a store, as indexes need them.
 *
 * @param gets point reads
 * @param cursors what all cursors use
 * @param plan how they search
 */
public record IndexReads(ReadPath gets, CursorHandle.Environment cursors, RangePlan plan) {
  /** Registers the present. */
  Snapshots.Handle snapshot() {
    return cursors.snapshots().acquire();
  }

  /** The value of a key at a registered sequence number; null when it has none. */
  byte @Nullable [] value(DatabaseHandle database, byte[] key, long sequence) {
    return gets.get(database, key, sequence, null);
  }

  /** A cursor at a registered sequence number. */
  EntryCursor cursor(
      DatabaseHandle database, long sequence, byte @Nullable [] from, byte @Nullable [] to) {
    return new CursorHandle(database, cursors, sequence, plan, from, to);
  }
}
