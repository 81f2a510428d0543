package io.sifr.internal.engine.write;

import io.sifr.internal.state.DatabaseHandle;
import java.util.Collection;
import java.util.Set;

/**
 * The writes that wait while SSTs take the place of a write: first those to the databases
 * concerned, so that nothing is written to them after the last flush, whose data is older than the
 * SSTs; in the end all, so that no write is between the SSTs and what is visible and durable before
 * them. Guarded by the lock of the order of writes.
 */
final class HeldWrites {
  private Set<DatabaseHandle> databases = Set.of();
  private boolean all;

  /** Holds writes to some databases. */
  void hold(Collection<DatabaseHandle> held) {
    if (!databases.isEmpty()) {
      throw new IllegalStateException("writes to " + databases + " are held already");
    }
    databases = Set.copyOf(held);
  }

  /** The databases to which writes were held first. */
  Set<DatabaseHandle> databases() {
    return databases;
  }

  /** Holds all other writes as well. */
  void holdAll() {
    all = true;
  }

  /** Lets all writes go on. */
  void release() {
    databases = Set.of();
    all = false;
  }

  /** Whether a batch has to wait. */
  boolean isHeld(BatchBuffer batch) {
    if (all || databases.isEmpty()) {
      return all;
    }
    for (int i = 0; i < batch.databaseCount(); i++) {
      if (databases.contains(batch.database(i))) {
        return true;
      }
    }
    return false;
  }
}
