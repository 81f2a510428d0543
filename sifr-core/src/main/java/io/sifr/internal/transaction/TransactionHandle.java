package io.sifr.internal.transaction;

import io.sifr.config.Isolation;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.conditions.Conditions;
import io.sifr.internal.engine.index.IndexCursorHandle;
import io.sifr.internal.engine.index.Indexes;
import io.sifr.internal.engine.index.OpenIndex;
import io.sifr.internal.engine.read.EntryCursor;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.entry.EntryKinds.MergeKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.forest.IndexName;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.transaction.WriteSet.Write;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.Snapshots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A transaction: reads at a snapshot, keeps what is written to itself, and writes it as one batch,
 * on the condition that nobody has written since the snapshot to the keys that it has written, or,
 * if it is serializable, read. Not thread-safe.
 *
 * <p>A transaction without writes needs no condition: all that it has read was there at one moment,
 * that of its snapshot.
 */
public final class TransactionHandle implements AutoCloseable {
  /** Most bytes of keys and values: what it writes has to fit into one batch. */
  static final long MOST_BYTES = 1 << 30;

  /** The bytes that a key takes besides its own, about; more than it is charged in a batch. */
  private static final int ENTRY_BYTES = 64;

  private final StoreEngine engine;
  private final Isolation isolation;
  private final Snapshots.Handle snapshot;
  private final Map<DatabaseHandle, Part> parts = new LinkedHashMap<>(2);

  /** The keys that the user requires to be unchanged. */
  private final Conditions required = new Conditions();

  private long bytes;
  private boolean ended;

  /** The part of the transaction in one database. */
  private static final class Part {
    private final WriteSet written = new WriteSet();
    private final ReadSet read = new ReadSet();
  }

  /** Begins one. */
  public TransactionHandle(StoreEngine engine, Isolation isolation) {
    this.engine = engine;
    this.isolation = isolation;
    this.snapshot = engine.acquireSnapshot();
  }

  /** The value of a key; null when it has none. */
  public byte @Nullable [] get(DatabaseHandle database, byte[] key) {
    EntryLimits.checkKey(key);
    Part part = part(database);
    Write own = part.written.of(key);
    if (own != null) {
      byte[] value = own.value();
      return value == null ? null : value.clone();
    }
    read(part, key);
    return engine.reads().get(database, key, snapshot.sequence(), null);
  }

  /** The values of several keys, in their order; null where there is none. */
  public List<byte @Nullable []> multiGet(DatabaseHandle database, List<byte[]> keys) {
    Part part = part(database);
    List<byte[]> stored = new ArrayList<>();
    for (byte[] key : keys) {
      EntryLimits.checkKey(key);
      if (part.written.of(key) == null) {
        read(part, key);
        stored.add(key);
      }
    }
    Iterator<byte @Nullable []> found =
        engine.reads().multiGet(database, stored, snapshot.sequence(), null).iterator();
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    for (byte[] key : keys) {
      Write own = part.written.of(key);
      byte[] value = own == null ? found.next() : own.value();
      values.add(own == null || value == null ? value : value.clone());
    }
    return values;
  }

  /** Whether a key has a value. */
  public boolean contains(DatabaseHandle database, byte[] key) {
    EntryLimits.checkKey(key);
    Part part = part(database);
    Write own = part.written.of(key);
    if (own != null) {
      return own.value() != null;
    }
    read(part, key);
    return engine.reads().contains(database, key, snapshot.sequence(), null);
  }

  private void read(Part part, byte[] key) {
    if (isolation == Isolation.SERIALIZABLE) {
      grow(key.length, 0);
      if (!part.read.add(key.clone())) {
        shrink(key.length);
      }
    }
  }

  /** Sets the value of a key, which expires if the database says so. */
  public void put(DatabaseHandle database, byte[] key, byte[] value) {
    put(database, key, value, database.options().expireAfter());
  }

  /**
   * Sets the value of a key.
   *
   * @param expireAfter how long after the commit it is there; null: for ever
   */
  public void put(
      DatabaseHandle database, byte[] key, byte[] value, @Nullable Duration expireAfter) {
    int length = EntryLimits.checkKey(key);
    int valueLength = EntryLimits.checkValue(value);
    Part part = part(database);
    grow(length, valueLength);
    Indexes indexes = engine.indexes();
    if (indexes != null) {
      indexes.of(database).forEach(index -> index(index, key, value));
    }
    part.written.put(key.clone(), value.clone(), expireAfter);
  }

  /** Adds the entries of a put to what the transaction itself sees of an index. */
  private void index(OpenIndex index, byte[] key, byte[] value) {
    for (byte[] entry : index.entriesOf(key, value)) {
      grow(entry.length, 0);
      part(index.entries()).written.put(entry, Bytes.EMPTY, null);
    }
  }

  /** A cursor over an index, with the transaction's own writes; null for no bound. */
  public IndexCursorHandle cursor(OpenIndex index, byte @Nullable [] from, byte @Nullable [] to) {
    checkOpen();
    index.checkReadable(snapshot.sequence());
    EntryCursor entries =
        cursor(index.entries(), IndexCursorHandle.from(from), IndexCursorHandle.to(to));
    return new IndexCursorHandle(index, entries, new Own(index.database()));
  }

  /** Reads of a cursor over an index. */
  private final class Own implements IndexCursorHandle.Source {
    private final DatabaseHandle database;

    Own(DatabaseHandle database) {
      this.database = database;
    }

    @Override
    public byte @Nullable [] value(byte[] key) {
      return get(database, key);
    }

    @Override
    public void isStale(byte[] entry) {
      // Perhaps only for this transaction.
    }

    @Override
    public void close() {}
  }

  /**
   * Merges an operand into the value of a key. As nobody else may have written to the key at the
   * commit, it is a put of what the two come to.
   */
  public void merge(DatabaseHandle database, byte[] key, byte[] operand) {
    var unused = EntryLimits.checkValue(operand);
    byte[] before = get(database, key);
    MergeKind merge = database.view().get().kinds().merge();
    merge.validate(operand);
    put(database, key, merge.resolve(key, operand, before));
  }

  /** Removes a key. */
  public void delete(DatabaseHandle database, byte[] key) {
    int length = EntryLimits.checkKey(key);
    Part part = part(database);
    grow(length, 0);
    part.written.delete(key.clone());
  }

  /** Removes all keys of a range; null for no bound. */
  public void deleteRange(DatabaseHandle database, byte @Nullable [] from, byte @Nullable [] to) {
    byte[] first = from == null ? Bytes.EMPTY : from;
    EntryLimits.checkBound("from", first);
    if (to != null) {
      EntryLimits.checkBound("to", to);
    }
    Part part = part(database);
    if (to == null || Arrays.compareUnsigned(first, to) < 0) {
      grow(first.length, to == null ? 0 : to.length);
      part.written.deleteRange(from, to);
    }
  }

  /** Requires that nobody writes to a key until the commit. */
  public void requireUnchanged(DatabaseHandle database, byte[] key) {
    int length = EntryLimits.checkKey(key);
    part(database);
    grow(length, 0);
    required.requireUnchanged(database, key.clone(), snapshot);
  }

  /** A cursor over a range, with the transaction's own writes; null for no bound. */
  public EntryCursor cursor(DatabaseHandle database, byte @Nullable [] from, byte @Nullable [] to) {
    Part part = part(database);
    EntryCursor stored = engine.openCursor(database, snapshot.sequence(), from, to, null);
    TransactionCursor.Reads reads =
        isolation == Isolation.SERIALIZABLE
            ? (first, end) -> {
              if (part.read.add(first, end)) {
                grow(lengthOf(first), lengthOf(end));
              }
            }
            : (first, end) -> {};
    return new TransactionCursor(stored, part.written, from, to, reads, this::checkOpen);
  }

  private static int lengthOf(byte @Nullable [] key) {
    return key == null ? 0 : key.length;
  }

  private Part part(DatabaseHandle database) {
    checkOpen();
    Part known = parts.get(database);
    if (known != null) {
      return known;
    }
    engine.checkIsOwn(database);
    Part fresh = new Part();
    parts.put(database, fresh);
    return fresh;
  }

  private void checkOpen() {
    if (ended) {
      throw new IllegalStateException("the transaction has ended");
    }
  }

  private void grow(int keyLength, int valueLength) {
    long more = bytes + ENTRY_BYTES + keyLength + valueLength;
    if (more > MOST_BYTES) {
      throw new IllegalArgumentException(
          "the transaction would take " + more + " bytes; allowed: up to " + MOST_BYTES);
    }
    bytes = more;
  }

  private void shrink(int keyLength) {
    bytes -= ENTRY_BYTES + keyLength;
  }

  /** Whether it was neither committed nor closed. */
  public boolean isOpen() {
    return !ended;
  }

  /**
   * Writes what was written, and ends the transaction, also when that fails.
   *
   * @throws io.sifr.error.ConflictException when others have written what must be unchanged
   */
  public void commit(WriteOptions options) {
    checkOpen();
    try {
      BatchBuffer batch = new BatchBuffer();
      Conditions conditions = required;
      parts.forEach(
          (database, part) -> {
            if (!IndexName.isOne(database.name())) { // its entries follow from the others
              part.written.addTo(database, snapshot, batch, conditions);
            } else if (isolation == Isolation.SERIALIZABLE && database.isDropped()) {
              throw emptied(database);
            }
          });
      if (batch.operations().count() > 0) {
        parts.forEach((database, part) -> part.read.addTo(database, snapshot, conditions));
      }
      if (batch.operations().count() > 0 || !conditions.isEmpty()) {
        engine.conditionalWrites().write(batch, conditions, options);
      } else {
        engine.checkOpen(); // it may be a store that nobody may write to
      }
    } finally {
      close();
    }
  }

  private static ConflictException emptied(DatabaseHandle index) {
    return new ConflictException(
        index.toString(),
        Bytes.EMPTY,
        index + ", which the transaction has read, was emptied or dropped since the snapshot");
  }

  /** Ends it; what was written is forgotten. */
  @Override
  public void close() {
    ended = true;
    parts.clear();
    required.clear();
    snapshot.close();
  }
}
