package io.sifr.internal.transaction;

import io.sifr.internal.engine.conditions.Conditions;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.Snapshots;
import java.util.Arrays;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The keys of a database that a transaction has read, or found to be absent. Not thread-safe. */
final class ReadSet {
  private final TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
  private final KeyRanges ranges = new KeyRanges();

  /** Adds a key. Returns whether it was not there. */
  boolean add(byte[] key) {
    return ranges.around(key) == null && keys.add(key);
  }

  /**
   * Adds the keys of a range. Returns whether they are a range of their own, and not only some more
   * keys of one.
   *
   * @param from the first key; null: the first of all
   * @param to the key after the last one; null: there is none
   */
  boolean add(byte @Nullable [] from, byte @Nullable [] to) {
    return ranges.add(from == null ? Bytes.EMPTY : from, to);
  }

  /** Adds to conditions that nobody has written to any of the keys. */
  void addTo(DatabaseHandle database, Snapshots.Handle since, Conditions conditions) {
    for (KeyRanges.Range range : ranges.all()) {
      conditions.requireUnchanged(database, range.from(), range.to(), since);
    }
    for (byte[] key : keys) {
      if (ranges.around(key) == null) {
        conditions.requireUnchanged(database, key, since);
      }
    }
  }
}
