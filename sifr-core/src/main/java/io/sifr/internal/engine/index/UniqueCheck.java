package io.sifr.internal.engine.index;

import io.sifr.internal.engine.conditions.LaterWrites;
import io.sifr.internal.engine.read.EntryCursor;
import io.sifr.internal.engine.write.WriteGuard;
import io.sifr.internal.format.IndexEntryKey;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Key;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.Snapshots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a write gives no entry a key of a unique index that another one has: first without
 * the write lock, then under it that nobody has added such an entry since. Whoever gives an entry
 * an index key adds one to the index, so of two the later one sees that of the other. For one
 * thread.
 */
final class UniqueCheck implements WriteGuard, AutoCloseable {
  private final IndexReads reads;
  private final StaleEntries stale;
  private final Map<DatabaseHandle, LaterWrites> later = new HashMap<>(2);
  private final List<Looked> looked = new ArrayList<>();

  /** A part of an index that was looked at. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Looked(LaterWrites later, byte[] from, byte[] to) {}

  /** Somebody has added an entry since: it has to be looked again. */
  static final class Again extends RuntimeException {
    private static final long serialVersionUID = 1;

    private Again() {
      super("an entry was added to a unique index", null, false, false);
    }
  }

  /**
   * The parts of a store that it needs.
   *
   * @param visible gives the newest visible sequence number
   * @param stale is told of entries that do not count any more
   */
  record Parts(ReadEpochs epochs, LongSupplier visible, IndexReads reads, StaleEntries stale) {
    /**
     * Looks for the keys without the lock.
     *
     * @param indexes all are unique, of databases that the map has
     * @throws io.sifr.error.DuplicateIndexKeyException when another entry has one
     */
    UniqueCheck begin(List<OpenIndex> indexes, Map<DatabaseHandle, WrittenKeys> written) {
      UniqueCheck check = follow(indexes);
      try (Snapshots.Handle now = reads.snapshot()) {
        for (OpenIndex index : indexes) {
          WrittenKeys keys = written.get(index.database());
          if (keys != null) {
            check.look(index, keys, now.sequence());
          }
        }
        return check;
      } catch (RuntimeException | Error e) {
        check.close();
        throw e;
      }
    }

    /**
     * A check of which the caller {@linkplain #look looks} for the keys itself, at a snapshot that
     * it takes afterwards.
     */
    UniqueCheck follow(List<OpenIndex> indexes) {
      UniqueCheck check = new UniqueCheck(reads, stale);
      try {
        check.follow(this, indexes);
        return check;
      } catch (RuntimeException | Error e) {
        check.close();
        throw e;
      }
    }
  }

  private UniqueCheck(IndexReads reads, StaleEntries stale) {
    this.reads = reads;
    this.stale = stale;
  }

  private void follow(Parts parts, List<OpenIndex> indexes) {
    int ticket = parts.epochs.enter();
    try {
      for (OpenIndex index : indexes) {
        later.put(index.entries(), LaterWrites.after(index.entries(), true, parts.visible));
      }
    } finally {
      parts.epochs.exit(ticket);
    }
  }

  /**
   * Looks for the keys that entries get.
   *
   * @param written what they will be, or are at the same moment
   * @throws io.sifr.error.DuplicateIndexKeyException when another entry has one
   */
  void look(OpenIndex index, WrittenKeys written, long sequence) {
    LaterWrites since = later.get(index.entries());
    for (Map.Entry<Key, byte[]> each : written.indexKeys(index).entrySet()) {
      byte[] indexKey = each.getKey().bytes();
      byte[] from = IndexEntryKey.firstOf(indexKey);
      byte[] to = IndexEntryKey.after(indexKey);
      if (since != null) {
        looked.add(new Looked(since, from, to));
      }
      try (EntryCursor cursor = reads.cursor(index.entries(), sequence, from, to)) {
        while (cursor.next()) {
          byte[] entry = cursor.key();
          byte[] other = IndexEntryKey.keyOf(entry);
          if (other == null || written.decides(other)) {
            continue;
          }
          byte @Nullable [] value = reads.value(index.database(), other, sequence);
          if (value != null && index.finds(indexKey, other, value)) {
            throw WrittenKeys.duplicate(index, indexKey, each.getValue(), other);
          }
          stale.add(index, entry);
        }
      }
    }
  }

  /**
   * Looks again under the lock.
   *
   * @throws Again when somebody was faster
   */
  @Override
  public boolean allows() {
    for (Looked each : looked) {
      try {
        if (each.later.changedIn(each.from, each.to) != null) {
          throw new Again();
        }
      } catch (LaterWrites.Outdated e) {
        throw new Again();
      }
    }
    return true;
  }

  @Override
  public void close() {
    later.values().forEach(LaterWrites::close);
    later.clear();
  }
}
