package io.sifr.internal.engine.index;

import io.sifr.config.WriteOptions;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.engine.write.IndexEntries;
import io.sifr.internal.engine.write.StallLimit;
import io.sifr.internal.engine.write.WriteGuard;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.wal.Operations;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes batches with the entries of their operations in the indexes that there are at one time.
 * Another one takes its place when an index is added or goes away; a batch that was completed by
 * one that is no longer in force is completed again. Immutable.
 */
final class IndexedWrites implements IndexEntries {
  private static final long PAUSE_NANOS = 100_000;
  private static final long MOST_NANOS = 10_000_000_000L;

  private final WritePath writes;
  private final UniqueCheck.Parts unique;
  private final Function<Collection<DatabaseHandle>, Ingesting> ingests;
  private final Map<DatabaseHandle, List<OpenIndex>> indexes;

  /** Another one is in force by now: nothing was written. */
  private static final class Outdated extends RuntimeException {
    private static final long serialVersionUID = 1;

    private Outdated() {
      super("there are other indexes", null, false, false);
    }
  }

  /**
   * @param ingests begins them
   * @param indexes of each database that has some
   */
  IndexedWrites(
      WritePath writes,
      UniqueCheck.Parts unique,
      Function<Collection<DatabaseHandle>, Ingesting> ingests,
      Map<DatabaseHandle, List<OpenIndex>> indexes) {
    this.writes = writes;
    this.unique = unique;
    this.ingests = ingests;
    this.indexes = Map.copyOf(indexes);
  }

  /** The indexes of a database. */
  List<OpenIndex> of(DatabaseHandle database) {
    return indexes.getOrDefault(database, List.of());
  }

  /** Those of all databases. */
  Map<DatabaseHandle, List<OpenIndex>> all() {
    return indexes;
  }

  @Override
  public boolean areOf(DatabaseHandle database) {
    return indexes.containsKey(database);
  }

  @Override
  public boolean areOf(BatchBuffer batch) {
    if (batch.onlyDeletes()) {
      return false;
    }
    for (int i = 0; i < batch.databaseCount(); i++) {
      if (areOf(batch.database(i))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean needLog(BatchBuffer batch) {
    for (int i = 0; i < batch.databaseCount(); i++) {
      if (!uniqueOf(batch.database(i)).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Ingesting beginIngest(Collection<DatabaseHandle> databases) {
    return ingests.apply(databases);
  }

  @Override
  public boolean write(
      BatchBuffer batch,
      @Nullable WriteGuard guard,
      WriteOptions options,
      @Nullable StallLimit limit) {
    BatchBuffer complete = batch.copy();
    complete.hasIndexEntries(true);
    Map<DatabaseHandle, WrittenKeys> written = addEntries(batch, complete);
    try {
      return written.isEmpty()
          ? writes.write(complete, () -> allows(guard), options, limit)
          : writeUnique(complete, written, guard, options, limit);
    } catch (Outdated e) {
      return writes.write(batch, guard, options, limit);
    } catch (IllegalStateException e) {
      if (!isReplaced(batch)) {
        throw e;
      }
      return writes.write(batch, guard, options, limit);
    }
  }

  /** Whether an index of a batch was dropped, or should have been; waits for the end of that. */
  private boolean isReplaced(BatchBuffer batch) {
    long begin = System.nanoTime();
    boolean wasDropped = false;
    while (writes.indexes() == this) {
      if (!isAnyDropped(batch)) {
        return wasDropped;
      }
      wasDropped = true;
      if (System.nanoTime() - begin > MOST_NANOS) {
        return false; // the change has failed, and nobody knows whether it is in force
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  private boolean isAnyDropped(BatchBuffer batch) {
    for (int i = 0; i < batch.databaseCount(); i++) {
      DatabaseHandle database = batch.database(i);
      if (!database.isDropped()
          && of(database).stream().anyMatch(index -> index.entries().isDropped())) {
        return true;
      }
    }
    return false;
  }

  private boolean allows(@Nullable WriteGuard guard) {
    if (writes.indexes() != this) {
      throw new Outdated();
    }
    return guard == null || guard.allows();
  }

  private boolean writeUnique(
      BatchBuffer complete,
      Map<DatabaseHandle, WrittenKeys> written,
      @Nullable WriteGuard guard,
      WriteOptions options,
      @Nullable StallLimit limit) {
    List<OpenIndex> concerned = new ArrayList<>();
    written.keySet().forEach(database -> concerned.addAll(uniqueOf(database)));
    while (true) {
      try (UniqueCheck check = unique.begin(concerned, written)) {
        return writes.write(complete, () -> allows(guard) && check.allows(), options, limit);
      } catch (UniqueCheck.Again e) {
        // Nothing was written, but something by another, so of all that try some go on.
      }
    }
  }

  private List<OpenIndex> uniqueOf(DatabaseHandle database) {
    return of(database).stream().filter(index -> index.options().isUnique()).toList();
  }

  /**
   * Adds the entries of a batch.
   *
   * @return what it leaves in databases with unique indexes
   */
  private Map<DatabaseHandle, WrittenKeys> addEntries(BatchBuffer batch, BatchBuffer complete) {
    Map<DatabaseHandle, WrittenKeys> written = Map.of();
    for (int i = 0; i < batch.databaseCount(); i++) {
      if (!uniqueOf(batch.database(i)).isEmpty()) {
        if (written.isEmpty()) {
          written = new HashMap<>(2);
        }
        written.put(batch.database(i), new WrittenKeys());
      }
    }
    Operations.Reader each = new Operations.Reader();
    each.reset(batch.operations().array(), 0, batch.operations().length());
    while (each.next()) {
      DatabaseHandle database = batch.databaseWithId(each.databaseId());
      List<OpenIndex> ofDatabase = of(database);
      if (!ofDatabase.isEmpty()) {
        add(each, ofDatabase, complete, written.get(database));
      }
    }
    return written;
  }

  private static void add(
      Operations.Reader each,
      List<OpenIndex> ofDatabase,
      BatchBuffer complete,
      @Nullable WrittenKeys written) {
    if (each.isRangeDelete()) {
      if (written != null) {
        written.deleteRange(each.rangeFrom(), each.rangeTo());
      }
      return;
    }
    byte[] key =
        Arrays.copyOfRange(each.array(), each.keyOffset(), each.keyOffset() + each.keyLength());
    if (each.kind() == EntryKind.CODE_OF_DELETE) {
      if (written != null) {
        written.delete(key);
      }
      return;
    }
    boolean expires = each.kind() == ExpiringKind.CODE;
    int from = each.valueOffset() + (expires ? ExpiringKind.DUE_BYTES : 0);
    byte[] value = Arrays.copyOfRange(each.array(), from, each.valueOffset() + each.valueLength());
    for (OpenIndex index : ofDatabase) {
      index.addEntries(key, value, expires, complete);
    }
    if (written != null) {
      written.put(key, value);
    }
  }
}
