package io.sifr.ycsb;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Records in a store of this process. A table is a named database, created when it is first used.
 * Changes of a record hold a lock of its key; reads and scans take none.
 */
final class StoreRecords implements Records {
  /**
   * Enough that threads that change different records hardly ever contend, even when each waits for
   * a sync.
   */
  private static final int LOCKS = 1024;

  private final Store store;
  private final ConcurrentHashMap<String, Database> tables = new ConcurrentHashMap<>();
  private final Object[] locks = new Object[LOCKS];

  StoreRecords(Store store) {
    this.store = store;
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new Object();
    }
  }

  @Override
  public byte @Nullable [] read(String table, String key) {
    return database(table).get(key.getBytes(UTF_8));
  }

  @Override
  public void insert(String table, String key, byte[] record) {
    synchronized (lockOf(table, key)) {
      database(table).put(key.getBytes(UTF_8), record);
    }
  }

  @Override
  public boolean update(String table, String key, UnaryOperator<byte[]> change) {
    Database database = database(table);
    byte[] keyBytes = key.getBytes(UTF_8);
    synchronized (lockOf(table, key)) {
      byte[] before = database.get(keyBytes);
      if (before != null) {
        database.put(keyBytes, change.apply(before));
      }
      return before != null;
    }
  }

  @Override
  public void delete(String table, String key) {
    synchronized (lockOf(table, key)) {
      database(table).delete(key.getBytes(UTF_8));
    }
  }

  @Override
  public void scan(String table, String from, int count, Consumer<byte[]> reader) {
    try (Cursor cursor = database(table).cursor(KeyRange.atLeast(from.getBytes(UTF_8)))) {
      for (int left = count; left > 0 && cursor.next(); left--) {
        reader.accept(cursor.value());
      }
    }
  }

  @Override
  public void close() {
    store.close();
  }

  private Database database(String table) {
    Database known = tables.get(table);
    return known != null ? known : tables.computeIfAbsent(table, store::openOrCreateDatabase);
  }

  /** The lock for changes of a record; several records share one. */
  private Object lockOf(String table, String key) {
    int hash = 31 * table.hashCode() + key.hashCode();
    return locks[(hash ^ hash >>> 16) & LOCKS - 1];
  }
}
