package io.sifr.internal.transaction;

import com.google.common.collect.Range;
import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;
import io.sifr.internal.engine.conditions.Conditions;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Key;
import io.sifr.internal.view.Snapshots;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The writes of a transaction to a database so far: the last write to each key, over ranges that
 * were deleted before. Its arrays belong to it. Not thread-safe.
 */
final class WriteSet {
  private final TreeMap<byte[], Write> writes = new TreeMap<>(Arrays::compareUnsigned);
  private final RangeSet<Key> deleted = TreeRangeSet.create();

  /**
   * The last write to a key.
   *
   * @param value null: it was deleted
   * @param expireAfter how long after the commit it is there; null: for ever
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record Write(byte @Nullable [] value, @Nullable Duration expireAfter) {
    static final Write DELETE = new Write(null, null);
  }

  void put(byte[] key, byte[] value, @Nullable Duration expireAfter) {
    writes.put(key, new Write(value, expireAfter));
  }

  /** Removes a key. */
  void delete(byte[] key) {
    writes.put(key, Write.DELETE);
  }

  /** Removes the keys of a range; null for no bound. */
  void deleteRange(byte @Nullable [] from, byte @Nullable [] to) {
    between(from, to).clear();
    deleted.add(Key.range(from, to));
  }

  /** What was written to a key; null when nothing was. */
  @Nullable Write of(byte[] key) {
    Write write = writes.get(key);
    return write == null && deletedAround(key) != null ? Write.DELETE : write;
  }

  /**
   * The range that was deleted with a key, to some of whose keys may have been written afterwards;
   * null when the key was deleted with none.
   */
  @Nullable Range<Key> deletedAround(byte[] key) {
    return deleted.isEmpty() ? null : deleted.rangeContaining(Key.of(key));
  }

  /** The writes to single keys of a range, as a view; null for no bound. */
  NavigableMap<byte[], Write> between(byte @Nullable [] from, byte @Nullable [] to) {
    byte[] first = from == null ? Bytes.EMPTY : from;
    if (to == null) {
      return writes.tailMap(first, true);
    }
    return Arrays.compareUnsigned(first, to) < 0
        ? writes.subMap(first, true, to, false)
        : new TreeMap<>(Arrays::compareUnsigned);
  }

  /** Whether nothing was written. */
  boolean isEmpty() {
    return writes.isEmpty() && deleted.isEmpty();
  }

  /** Adds all of it to a batch, and to its conditions that nobody else has written there. */
  void addTo(
      DatabaseHandle database, Snapshots.Handle since, BatchBuffer batch, Conditions conditions) {
    for (Range<Key> range : deleted.asRanges()) {
      byte[] from = range.lowerEndpoint().bytes();
      byte[] to = Key.end(range);
      batch.deleteRange(database, from, to);
      conditions.requireUnchanged(database, from, to, since);
    }
    for (Map.Entry<byte[], Write> entry : writes.entrySet()) {
      byte[] key = entry.getKey();
      byte[] value = entry.getValue().value();
      if (value == null) {
        batch.delete(database, key);
      } else {
        batch.put(database, key, value, entry.getValue().expireAfter());
      }
      if (deletedAround(key) == null) {
        conditions.requireUnchanged(database, key, since);
      }
    }
  }
}
