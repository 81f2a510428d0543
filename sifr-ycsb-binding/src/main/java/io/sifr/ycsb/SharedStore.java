package io.sifr.ycsb;

import io.sifr.Database;
import io.sifr.Store;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The store of the process. YCSB creates one client per thread, but a directory can be opened only
 * once, so the first client opens the store and the last one closes it. Thread-safe.
 */
final class SharedStore {
  /**
   * Enough that threads that change different records hardly ever contend, even when each waits for
   * a sync.
   */
  private static final int LOCKS = 1024;

  private static @Nullable SharedStore open; // guarded by SharedStore.class

  private final StoreProperties properties;
  private final Store store;
  private final ConcurrentHashMap<String, Database> tables = new ConcurrentHashMap<>();
  private final Object[] locks = new Object[LOCKS];

  private int clients; // guarded by SharedStore.class

  private SharedStore(StoreProperties properties) {
    this.properties = properties;
    this.store = Store.open(properties.directory(), properties.options());
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new Object();
    }
  }

  /**
   * Returns the process's store, which is opened when no client has it open. Each call requires one
   * call of {@link #release}.
   *
   * @throws IllegalStateException when it is open with other properties
   */
  static synchronized SharedStore acquire(StoreProperties properties) {
    SharedStore shared = open;
    if (shared == null) {
      shared = new SharedStore(properties);
      open = shared;
    } else if (!shared.properties.equals(properties)) {
      throw new IllegalStateException(
          "this process has its store open with "
              + shared.properties
              + ", not with "
              + properties
              + "; all clients of a process share one store");
    }
    shared.clients++;
    return shared;
  }

  /** Releases the store after one {@link #acquire}. */
  void release() {
    synchronized (SharedStore.class) {
      clients--;
      if (clients == 0) {
        open = null;
        store.close();
      }
    }
  }

  /** The database of a table, created when there is none. */
  Database table(String name) {
    Database known = tables.get(name);
    return known != null ? known : tables.computeIfAbsent(name, store::openOrCreateDatabase);
  }

  /** The lock for changes of a record; several records share one. */
  Object lockOf(String table, String key) {
    int hash = 31 * table.hashCode() + key.hashCode();
    return locks[(hash ^ hash >>> 16) & LOCKS - 1];
  }
}
