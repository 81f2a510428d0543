package io.sifr.internal.engine;

import io.netty.buffer.ByteBuf;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.VarInts;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Operations in their log format, one after the other:
 *
 * <pre>
 * varint database id | varint key length | key | varint value length · 16 + kind | value
 * </pre>
 *
 * <p>Also tracks, for each database it touches, how much room its write buffer must have. Not
 * thread-safe.
 */
public final class BatchBuffer {
  /** Most bytes of a batch: it has to fit into one log segment and one write buffer. */
  public static final int MAX_BYTES = 1 << 30;

  private static final int FIRST_CAPACITY = 512;
  private static final int KEPT_CAPACITY = 1 << 20;

  private byte[] bytes = new byte[FIRST_CAPACITY];
  private int length;
  private int count;
  private long rawBytes;
  private @Nullable DatabaseHandle[] databases = new DatabaseHandle[1];
  private long[] footprints = new long[1];
  private int databaseCount;

  /** An empty buffer. */
  public BatchBuffer() {}

  /** Adds a put. */
  public void put(DatabaseHandle database, byte[] key, byte[] value) {
    checkValue(value);
    add(database, EntryKind.PUT, key, value);
  }

  /** Adds a put of the readable bytes of two buffers. */
  public void put(DatabaseHandle database, ByteBuf key, ByteBuf value) {
    int keyLength = checkKey(key);
    int valueLength = checkValue(value);
    begin(database, keyLength, valueLength);
    append(key, keyLength);
    appendLength(valueLength, EntryKind.PUT);
    append(value, valueLength);
  }

  /** Adds a delete. */
  public void delete(DatabaseHandle database, byte[] key) {
    add(database, EntryKind.DELETE, key, Bytes.EMPTY);
  }

  /** Adds an operation of any kind. */
  void add(DatabaseHandle database, EntryKind kind, byte[] key, byte[] value) {
    checkKey(key);
    begin(database, key.length, value.length);
    append(key);
    appendLength(value.length, kind);
    append(value);
  }

  /** Adds a delete of the key in the readable bytes of a buffer. */
  public void delete(DatabaseHandle database, ByteBuf key) {
    int keyLength = checkKey(key);
    begin(database, keyLength, 0);
    append(key, keyLength);
    appendLength(0, EntryKind.DELETE);
  }

  /** Removes all operations; keeps the memory unless it is large. */
  public void clear() {
    length = 0;
    count = 0;
    rawBytes = 0;
    Arrays.fill(databases, 0, databaseCount, null);
    databaseCount = 0;
    if (bytes.length > KEPT_CAPACITY) {
      bytes = new byte[FIRST_CAPACITY];
    }
  }

  /** Number of operations. */
  public int count() {
    return count;
  }

  /** Bytes of the operations in this format. */
  public int length() {
    return length;
  }

  /** The operations, in the first {@link #length} bytes. */
  byte[] array() {
    return bytes;
  }

  /** Bytes of all keys and values. */
  long rawBytes() {
    return rawBytes;
  }

  /** Number of databases touched. */
  int databaseCount() {
    return databaseCount;
  }

  /** The i-th database touched. */
  DatabaseHandle database(int index) {
    DatabaseHandle database = databases[index];
    if (database == null) {
      throw new IndexOutOfBoundsException(index);
    }
    return database;
  }

  /** Room the i-th database's write buffer must have. */
  long footprint(int index) {
    return footprints[index];
  }

  /** The touched database with that id. */
  DatabaseHandle databaseWithId(int id) {
    for (int i = 0; i < databaseCount; i++) {
      DatabaseHandle database = database(i);
      if (database.id() == id) {
        return database;
      }
    }
    throw new IllegalStateException("database " + id + " is not in the batch");
  }

  private void begin(DatabaseHandle database, int keyLength, int valueLength) {
    long added = 3L * VarInts.MAX_INT_BYTES + keyLength + valueLength;
    if (length + added > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the batch would take " + (length + added) + " bytes; allowed: up to " + MAX_BYTES);
    }
    ensureCapacity((int) (length + added));
    note(database, Memtable.footprint(keyLength, valueLength));
    length = VarInts.put(bytes, length, database.id());
    length = VarInts.put(bytes, length, keyLength);
    count++;
    rawBytes += keyLength + valueLength;
  }

  private void ensureCapacity(int needed) {
    if (needed > bytes.length) {
      long doubled = Math.min(MAX_BYTES, 2L * bytes.length);
      bytes = Arrays.copyOf(bytes, (int) Math.max(needed, doubled));
    }
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

  private void appendLength(int valueLength, EntryKind kind) {
    length = VarInts.put(bytes, length, (long) valueLength << EntryKind.BITS | kind.code());
  }

  private void append(byte[] source) {
    System.arraycopy(source, 0, bytes, length, source.length);
    length += source.length;
  }

  private void append(ByteBuf source, int sourceLength) {
    source.getBytes(source.readerIndex(), bytes, length, sourceLength);
    length += sourceLength;
  }

  static void checkKey(byte @Nullable [] key) {
    if (key == null) {
      throw new IllegalArgumentException("key is null");
    }
    checkKeyLength(key.length);
  }

  static int checkKey(@Nullable ByteBuf key) {
    if (key == null) {
      throw new IllegalArgumentException("key is null");
    }
    checkKeyLength(key.readableBytes());
    return key.readableBytes();
  }

  private static void checkKeyLength(int keyLength) {
    if (keyLength > EntryLimits.MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "key has " + keyLength + " bytes; allowed: up to " + EntryLimits.MAX_KEY_BYTES);
    }
  }

  private static void checkValue(byte @Nullable [] value) {
    if (value == null) {
      throw new IllegalArgumentException("value is null");
    }
    checkValueLength(value.length);
  }

  private static int checkValue(@Nullable ByteBuf value) {
    if (value == null) {
      throw new IllegalArgumentException("value is null");
    }
    checkValueLength(value.readableBytes());
    return value.readableBytes();
  }

  private static void checkValueLength(int valueLength) {
    if (valueLength > EntryLimits.MAX_VALUE_BYTES) {
      throw new IllegalArgumentException(
          "value has " + valueLength + " bytes; allowed: up to " + EntryLimits.MAX_VALUE_BYTES);
    }
  }
}
