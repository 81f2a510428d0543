package io.sifr.internal.engine.index;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.internal.engine.conditions.ConditionalWrites;
import io.sifr.internal.engine.conditions.Conditions;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.format.IndexEntryKey;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes entries of indexes that do not count any more: those that reads have met, in the
 * background. Each is looked at once more, and deleted on the condition that nobody has written its
 * key since, so that it cannot go while somebody makes it count again.
 *
 * <p>What made it stale must not be lost in a crash that leaves the deletion. A write that is not
 * logged is; so before, what the database has in memory is flushed, or, for what reads have met, it
 * is left for another time.
 *
 * <p>Thread-safe.
 */
final class StaleEntries {
  private static final Logger LOG = LoggerFactory.getLogger(StaleEntries.class);

  /** More are forgotten: reads will meet them again. */
  private static final int MOST_WAITING = 4096;

  private static final int MOST_AT_ONCE = 128;

  private final StoreState state;
  private final WritePath writes;
  private final ConditionalWrites conditional;
  private final IndexReads reads;
  private final IndexWork work;

  /** Guarded by itself. */
  private final Deque<Stale> waiting = new ArrayDeque<>();

  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Stale(OpenIndex index, byte[] entry) {}

  StaleEntries(
      StoreState state,
      WritePath writes,
      ConditionalWrites conditional,
      IndexReads reads,
      IndexWork work) {
    this.state = state;
    this.writes = writes;
    this.conditional = conditional;
    this.reads = reads;
    this.work = work;
  }

  /** A read has met an entry that does not count. */
  void add(OpenIndex index, byte[] entry) {
    state.counters().indexStaleReads.increment();
    if (state.failure().isNoted()) {
      return; // perhaps nobody may ever write to it
    }
    synchronized (waiting) {
      if (waiting.size() >= MOST_WAITING) {
        return;
      }
      waiting.add(new Stale(index, entry));
      if (waiting.size() > 1) {
        return;
      }
    }
    work.add(this::deleteWaiting);
  }

  private void deleteWaiting() {
    while (true) {
      List<Stale> some = new ArrayList<>();
      synchronized (waiting) {
        while (!waiting.isEmpty() && some.size() < MOST_AT_ONCE) {
          some.add(waiting.remove());
        }
      }
      if (some.isEmpty()) {
        return;
      }
      try {
        some.removeIf(each -> holdsUnlogged(each.index.database()));
        delete(some);
      } catch (ConflictException e) {
        LOG.trace("an entry of an index counts again, perhaps: {}", e.getMessage());
      } catch (RuntimeException e) { // the store may be closed, or full
        LOG.debug("entries of an index stay: {}", e.getMessage());
      }
    }
  }

  /** Whether something of a database would be lost in a crash. */
  static boolean holdsUnlogged(DatabaseHandle database) {
    StoreView view = database.view().get();
    return view.active().holdsUnlogged()
        || view.immutables().stream().anyMatch(WriteBuffer::holdsUnlogged);
  }

  /** Has everything survive a crash that is visible in a database by now, if it would not. */
  static void secure(DatabaseHandle database, WritePath writes) {
    if (holdsUnlogged(database)) {
      writes.rotation().flush(List.of(database));
    }
  }

  /**
   * Deletes some entries of one index if they do not count.
   *
   * @return how many were deleted
   */
  @CanIgnoreReturnValue
  int clean(OpenIndex index, List<byte[]> entries) {
    List<Stale> some = entries.stream().map(entry -> new Stale(index, entry)).toList();
    try {
      return delete(some);
    } catch (ConflictException e) {
      int deleted = 0;
      for (Stale each : some) {
        try {
          deleted += delete(List.of(each));
        } catch (ConflictException again) {
          LOG.trace("an entry of an index counts again, perhaps: {}", again.getMessage());
        }
      }
      return deleted;
    }
  }

  private int delete(List<Stale> some) {
    BatchBuffer batch = new BatchBuffer();
    Conditions conditions = new Conditions();
    int deleted = 0;
    try (Snapshots.Handle now = reads.snapshot()) {
      some.stream()
          .map(each -> each.index.database())
          .distinct()
          .forEach(database -> secure(database, writes));
      for (Stale each : some) {
        deleted += delete(each, now, batch, conditions) ? 1 : 0;
      }
      if (deleted > 0) {
        conditional.write(batch, conditions, WriteOptions.BUFFERED);
      }
    }
    state.counters().indexStaleDeletes.add(deleted);
    return deleted;
  }

  private boolean delete(
      Stale stale, Snapshots.Handle now, BatchBuffer batch, Conditions conditions) {
    OpenIndex index = stale.index;
    byte[] key = IndexEntryKey.keyOf(stale.entry);
    byte[] indexKey = IndexEntryKey.indexKeyOf(stale.entry);
    if (key == null || indexKey == null || index.entries().isDropped()) {
      return false;
    }
    byte[] mark = reads.value(index.entries(), stale.entry, now.sequence());
    if (mark == null) {
      return false;
    }
    byte[] value = reads.value(index.database(), key, now.sequence());
    if (value != null && index.finds(indexKey, key, value)) {
      return false;
    }
    batch.delete(index.entries(), stale.entry);
    if (value == null && mark.length > 0) {
      // It has expired, by a clock that may be set back: then it must not be there again.
      batch.delete(index.database(), key);
    }
    conditions.requireUnchanged(index.database(), key, now);
    return true;
  }
}
