package io.sifr.internal.transaction;

import io.sifr.internal.engine.conditions.Conditions;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.Snapshots;
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
  private final KeyRanges deleted = new KeyRanges();

  /**
   * The last write to a key.
   *
   * @param value null: it was deleted
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record Write(byte @Nullable [] value) {
    static final Write DELETE = new Write(null);
  }

  /** Sets the value of a key. */
  void put(byte[] key, byte[] value) {
    writes.put(key, new Write(value));
  }

  /** Removes a key. */
  void delete(byte[] key) {
    writes.put(key, Write.DELETE);
  }

  /** Removes the keys of a range; null for no bound. */
  void deleteRange(byte @Nullable [] from, byte @Nullable [] to) {
    between(from, to).clear();
    deleted.add(from == null ? Bytes.EMPTY : from, to);
  }

  /** What was written to a key; null when nothing was. */
  @Nullable Write of(byte[] key) {
    Write write = writes.get(key);
    return write == null && deleted.around(key) != null ? Write.DELETE : write;
  }

  /** The ranges that were deleted, in some of whose keys was written afterwards. */
  KeyRanges deleted() {
    return deleted;
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
    for (KeyRanges.Range range : deleted.all()) {
      batch.deleteRange(database, range.from(), range.to());
      conditions.requireUnchanged(database, range.from(), range.to(), since);
    }
    for (Map.Entry<byte[], Write> entry : writes.entrySet()) {
      byte[] key = entry.getKey();
      byte[] value = entry.getValue().value();
      if (value == null) {
        batch.delete(database, key);
      } else {
        batch.put(database, key, value);
      }
      if (deleted.around(key) == null) {
        conditions.requireUnchanged(database, key, since);
      }
    }
  }
}
