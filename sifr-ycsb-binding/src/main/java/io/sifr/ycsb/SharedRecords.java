package io.sifr.ycsb;

import org.jspecify.annotations.Nullable;

/**
 * The records that all clients of the process share. YCSB creates one client per thread, but a
 * directory can be opened only once, so the first client opens the store and the last one closes
 * it. Thread-safe.
 */
final class SharedRecords {
  private static @Nullable SharedRecords open; // guarded by SharedRecords.class

  private final Target target;
  private final Records records;

  private int clients; // guarded by SharedRecords.class

  private SharedRecords(Target target) {
    this.target = target;
    this.records = target.open();
  }

  /**
   * Returns those of the process, which are opened when no client has them open. Each call requires
   * one call of {@link #release}.
   *
   * @throws IllegalStateException when others are open
   */
  static synchronized SharedRecords acquire(Target target) {
    SharedRecords shared = open;
    if (shared == null) {
      shared = new SharedRecords(target);
      open = shared;
    } else if (!shared.target.equals(target)) {
      throw new IllegalStateException(
          "this process has "
              + shared.target
              + " open, not "
              + target
              + "; all clients of a process share one");
    }
    shared.clients++;
    return shared;
  }

  Records records() {
    return records;
  }

  /** Releases them after one {@link #acquire}. */
  void release() {
    synchronized (SharedRecords.class) {
      clients--;
      if (clients == 0) {
        open = null;
        records.close();
      }
    }
  }
}
