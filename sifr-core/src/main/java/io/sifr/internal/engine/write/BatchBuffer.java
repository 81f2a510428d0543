package io.sifr.internal.engine.write;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.config.WriteOptions;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds.MergeKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.wal.Operations;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a batch, and how much room the write buffer of each database must have for
 * them. An operation that is refused leaves it as it was. Not thread-safe.
 */
public final class BatchBuffer {
  private final Operations.Writer operations = new Operations.Writer();
  private @Nullable DatabaseHandle[] databases = new DatabaseHandle[1];
  private long[] footprints = new long[1];
  private int databaseCount;
  private boolean deletesRanges;
  private boolean onlyDeletes = true;
  private int longestValue;

  /** Bytes of the values that are referred to. */
  private long apartBytes;

  private boolean hasIndexEntries;

  /** An empty batch. */
  public BatchBuffer() {}

  /** A batch with the same operations. */
  public BatchBuffer copy() {
    BatchBuffer copy = new BatchBuffer();
    copy.operations.addAll(operations);
    copy.databases = databases.clone();
    copy.footprints = footprints.clone();
    copy.databaseCount = databaseCount;
    copy.deletesRanges = deletesRanges;
    copy.onlyDeletes = onlyDeletes;
    copy.longestValue = longestValue;
    copy.apartBytes = apartBytes;
    return copy;
  }

  /** Says that the entries of indexes are among the operations. */
  public void hasIndexEntries(boolean has) {
    hasIndexEntries = has;
  }

  /** Whether the entries of indexes are among the operations. */
  boolean hasIndexEntries() {
    return hasIndexEntries;
  }

  /** Adds a put. */
  public void put(DatabaseHandle database, byte[] key, byte[] value) {
    put(database, key, value, database.options().expireAfter());
  }

  /**
   * Adds a put of a value that expires.
   *
   * @param after how long it is there, from now on; null for ever
   */
  public void put(DatabaseHandle database, byte[] key, byte[] value, @Nullable Duration after) {
    if (after == null) {
      add(database, EntryKind.PUT, key, value);
      return;
    }
    ExpiringKind kind = database.view().get().kinds().expiring();
    EntryLimits.checkExpiringValue(value);
    add(database, kind, key, kind.expiring(value, after));
  }

  /** Adds a put of a value that expires as the options say, or else the database. */
  public void put(DatabaseHandle database, byte[] key, byte[] value, WriteOptions options) {
    put(database, key, value, expiry(database, options));
  }

  /** As above, of the readable bytes of two buffers. */
  public void put(DatabaseHandle database, ByteBuf key, ByteBuf value, WriteOptions options) {
    put(database, key, value, expiry(database, options));
  }

  static @Nullable Duration expiry(DatabaseHandle database, WriteOptions options) {
    Duration given = options.expireAfter();
    return given != null || options.neverExpires() ? given : database.options().expireAfter();
  }

  /** Adds a put of the readable bytes of two buffers. */
  public void put(DatabaseHandle database, ByteBuf key, ByteBuf value) {
    put(database, key, value, database.options().expireAfter());
  }

  /** As {@link #put(DatabaseHandle, byte[], byte[], Duration)}, of the bytes of two buffers. */
  public void put(DatabaseHandle database, ByteBuf key, ByteBuf value, @Nullable Duration after) {
    if (after == null) {
      add(database, EntryKind.PUT, key, value);
      return;
    }
    byte[] keyBytes = new byte[EntryLimits.checkKey(key)];
    byte[] valueBytes = new byte[EntryLimits.checkValue(value)];
    key.getBytes(key.readerIndex(), keyBytes);
    value.getBytes(value.readerIndex(), valueBytes);
    put(database, keyBytes, valueBytes, after);
  }

  /** Adds a delete. */
  public void delete(DatabaseHandle database, byte[] key) {
    add(database, EntryKind.DELETE, key, Bytes.EMPTY);
  }

  /** Adds a delete of the key in the readable bytes of a buffer. */
  public void delete(DatabaseHandle database, ByteBuf key) {
    add(database, EntryKind.DELETE, key, Unpooled.EMPTY_BUFFER);
  }

  /**
   * Adds a merge.
   *
   * @throws IllegalArgumentException when the operator refuses the operand
   * @throws IllegalStateException when the database has no operator
   * @throws io.sifr.error.MergeOperatorException when it is not registered
   */
  public void merge(DatabaseHandle database, byte[] key, byte[] operand) {
    MergeKind merge = database.view().get().kinds().merge();
    var unused = EntryLimits.checkValue(operand);
    merge.validate(operand);
    add(database, merge, key, operand);
  }

  /**
   * Adds a delete of all keys of a range; nothing if it is empty.
   *
   * @param from the first key; null: the first of all
   * @param to the key after the last one; null: there is none
   */
  public void deleteRange(DatabaseHandle database, byte @Nullable [] from, byte @Nullable [] to) {
    byte[] first = from == null ? Bytes.EMPTY : from;
    EntryLimits.checkBound("from", first);
    if (to != null) {
      EntryLimits.checkBound("to", to);
      if (Arrays.compareUnsigned(first, to) >= 0) {
        return;
      }
    }
    byte[] end = to == null ? Bytes.EMPTY : to;
    operations.makeRoom(first.length, end.length);
    note(database, Memtable.rangeFootprint(first, to));
    operations.addRangeDelete(database.id(), first, end);
    deletesRanges = true;
  }

  /** Adds a put of a value that is in a value file already. */
  void addReference(DatabaseHandle database, byte[] key, Reference reference) {
    SeparatedKind kind = database.view().get().kinds().separated();
    add(database, kind, key, reference.encoded());
    apartBytes += reference.valueBytes();
  }

  /** Adds an operation of any kind. */
  public void add(DatabaseHandle database, EntryKind kind, byte[] key, byte[] value) {
    note(database, EntryLimits.checkKey(key), EntryLimits.checkValue(value));
    operations.add(database.id(), kind, key, value);
    onlyDeletes &= kind == EntryKind.DELETE;
  }

  private void add(DatabaseHandle database, EntryKind kind, ByteBuf key, ByteBuf value) {
    note(database, EntryLimits.checkKey(key), EntryLimits.checkValue(value));
    operations.add(database.id(), kind, key, value);
    onlyDeletes &= kind == EntryKind.DELETE;
  }

  /** Removes all operations; keeps the memory unless it is large. */
  public void clear() {
    operations.clear();
    Arrays.fill(databases, 0, databaseCount, null);
    databaseCount = 0;
    deletesRanges = false;
    onlyDeletes = true;
    longestValue = 0;
    apartBytes = 0;
    hasIndexEntries = false;
  }

  /** Length of its longest value. */
  int longestValue() {
    return longestValue;
  }

  /** Whether operations refer to value files. */
  boolean refersToValues() {
    return apartBytes > 0;
  }

  /** Bytes of all keys and values, those among them that are referred to. */
  long rawBytes() {
    return operations.rawBytes() + apartBytes;
  }

  /** Whether there is a range delete among the operations. */
  boolean deletesRanges() {
    return deletesRanges;
  }

  /** Whether all operations are deletes, of keys or ranges: it takes hardly any space. */
  public boolean onlyDeletes() {
    return onlyDeletes;
  }

  /** The operations in their log format. */
  public Operations.Writer operations() {
    return operations;
  }

  /** Number of databases touched. */
  public int databaseCount() {
    return databaseCount;
  }

  /** The i-th database touched. */
  public DatabaseHandle database(int index) {
    DatabaseHandle database = databases[index];
    if (database == null) {
      throw new IndexOutOfBoundsException(index);
    }
    return database;
  }

  /** Room the i-th database's write buffer must have. */
  public long footprint(int index) {
    return footprints[index];
  }

  /** The touched database with that id. */
  public DatabaseHandle databaseWithId(int id) {
    for (int i = 0; i < databaseCount; i++) {
      DatabaseHandle database = database(i);
      if (database.id() == id) {
        return database;
      }
    }
    throw new IllegalStateException("database " + id + " is not in the batch");
  }

  private void note(DatabaseHandle database, int keyLength, int valueLength) {
    operations.makeRoom(keyLength, valueLength);
    note(database, Memtable.footprint(keyLength, valueLength));
    longestValue = Math.max(longestValue, valueLength);
  }

  private void note(DatabaseHandle database, long footprint) {
    for (int i = databaseCount - 1; i >= 0; i--) {
      if (databases[i] == database) {
        if (footprints[i] + footprint > Memtable.MAX_CAPACITY_BYTES) {
          throw new IllegalArgumentException(
              "the batch would need more than "
                  + Memtable.MAX_CAPACITY_BYTES
                  + " bytes of write buffer in database "
                  + database.name());
        }
        footprints[i] += footprint;
        return;
      }
    }
    if (databaseCount > 0 && !database.isOfStoreOf(database(0))) {
      throw new IllegalArgumentException("the databases of a batch belong to different stores");
    }
    if (databaseCount == databases.length) {
      databases = Arrays.copyOf(databases, 2 * databaseCount);
      footprints = Arrays.copyOf(footprints, 2 * databaseCount);
    }
    databases[databaseCount] = database;
    footprints[databaseCount++] = footprint;
  }
}
