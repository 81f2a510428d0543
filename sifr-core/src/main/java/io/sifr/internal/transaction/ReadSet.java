package io.sifr.internal.transaction;

import com.google.common.collect.Range;
import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;
import io.sifr.internal.engine.conditions.Conditions;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Key;
import io.sifr.internal.view.Snapshots;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The keys of a database that a transaction has read, or found to be absent. Not thread-safe. */
final class ReadSet {
  private final TreeSet<Key> keys = new TreeSet<>();
  private final RangeSet<Key> ranges = TreeRangeSet.create();

  /** Adds a key. Returns whether it was not there. */
  boolean add(byte[] key) {
    Key added = Key.of(key);
    return !ranges.contains(added) && keys.add(added);
  }

  /**
   * Adds the keys of a range. Returns whether they are a range of their own, and not only some more
   * keys of one.
   *
   * @param from the first key; null: the first of all
   * @param to the key after the last one; null: there is none
   */
  boolean add(byte @Nullable [] from, byte @Nullable [] to) {
    int before = ranges.asRanges().size();
    ranges.add(Key.range(from, to));
    return ranges.asRanges().size() > before;
  }

  /** Adds to conditions that nobody has written to any of the keys. */
  void addTo(DatabaseHandle database, Snapshots.Handle since, Conditions conditions) {
    for (Range<Key> range : ranges.asRanges()) {
      conditions.requireUnchanged(database, range.lowerEndpoint().bytes(), Key.end(range), since);
    }
    for (Key key : keys) {
      if (!ranges.contains(key)) {
        conditions.requireUnchanged(database, key.bytes(), since);
      }
    }
  }
}
