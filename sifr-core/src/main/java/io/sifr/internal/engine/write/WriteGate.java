package io.sifr.internal.engine.write;

import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.state.StoreLog;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.view.StoreView;
import java.util.Collection;
import java.util.Set;

/**
 * Decides whether writes are let through: none once the store is closed or has failed; and not for
 * a while where SSTs take the place of a write. Then first those to the databases concerned wait,
 * so that nothing is written to them after the last flush, whose data is older than the SSTs; in
 * the end all, so that no write is between the SSTs and what is visible and durable before them.
 *
 * <p>Thread-safe, except for what says that its caller holds the lock of the order of writes.
 */
public final class WriteGate {
  private final StoreState state;
  private final WriteOrder order;
  private final StoreLog log;

  // All below guarded by the order's lock.
  private Set<DatabaseHandle> held = Set.of();
  private boolean holdsAll;
  private boolean closed;

  /**
   * The number of threads that wait for a moment at which everything is in the log or in a forest.
   */
  private int loggingAll;

  /** Whether that is more than 0. */
  private volatile boolean logsAll;

  WriteGate(StoreState state) {
    this.state = state;
    this.order = state.writes();
    this.log = state.log();
  }

  /** Whether writes are rejected for good. The caller holds the lock. */
  boolean isClosed() {
    return closed;
  }

  /** Has all writes logged until {@link #endLoggingAll}, whatever their durability. */
  void beginLoggingAll() {
    order.lock();
    loggingAll++;
    logsAll = true;
    order.unlock();
  }

  /** Ends what one call of {@link #beginLoggingAll} began. */
  void endLoggingAll() {
    order.lock();
    loggingAll--;
    logsAll = loggingAll > 0;
    order.goOn();
    order.unlock();
  }

  /** Whether all writes are logged at the moment, with their values. */
  boolean logsAll() {
    return logsAll;
  }

  /** Whether a write refers to a value file without being in the way. The caller holds the lock. */
  boolean takesReferences() {
    return loggingAll == 0 || closed;
  }

  /** Whether a batch has to wait. The caller holds the lock. */
  boolean isHeld(BatchBuffer batch) {
    if (holdsAll || held.isEmpty()) {
      return holdsAll;
    }
    for (int i = 0; i < batch.databaseCount(); i++) {
      if (held.contains(batch.database(i))) {
        return true;
      }
    }
    return false;
  }

  /** Whether SSTs take the place of a write. The caller holds the lock. */
  boolean holdsAny() {
    return holdsAll || !held.isEmpty();
  }

  /**
   * Holds writes to some databases until {@link #release}; none is in progress when this returns.
   * One caller at a time: what happens meanwhile counts as a write of its own.
   */
  public void hold(Collection<DatabaseHandle> databases) {
    order.lock();
    try {
      checkWritable();
      databases.forEach(DatabaseHandle::checkNotDropped);
      if (!held.isEmpty()) {
        throw new IllegalStateException("writes to " + held + " are held already");
      }
      held = Set.copyOf(databases);
    } finally {
      order.unlock();
    }
  }

  /**
   * Holds all other writes as well; none is in progress when this returns.
   *
   * @return the next sequence number, for what takes the place of a write
   */
  public long holdAll() {
    order.lock();
    try {
      holdsAll = true;
      return order.visible() + 1;
    } finally {
      order.unlock();
    }
  }

  /**
   * Lets writes go on.
   *
   * @param last the largest sequence number that is used, which becomes visible
   */
  public void release(long last) {
    order.lock();
    try {
      order.show(Math.max(order.visible(), last));
      held.forEach(DatabaseHandle::ingested);
      held = Set.of();
      holdsAll = false;
      order.goOn();
    } finally {
      order.unlock();
    }
  }

  /** Marks a database as dropped: no write to it is in progress or will begin. */
  public void drop(DatabaseHandle database) {
    order.lock();
    try {
      database.markDropped();
      order.goOn();
    } finally {
      order.unlock();
    }
  }

  /** Frees the memory of a database that was dropped. */
  public void free(DatabaseHandle dropped) {
    StoreView view = dropped.view().get();
    view.active().memtable().release();
    view.immutables().forEach(buffer -> buffer.memtable().release());
    order.goOn();
  }

  /** Rejects writes from now on, once none is in progress. Returns whether the store was open. */
  public boolean close() {
    order.lock();
    boolean wasOpen = !closed;
    try {
      closed = true;
      order.goOn();
    } finally {
      order.unlock();
    }
    log.stop();
    return wasOpen;
  }

  /**
   * When the log is poisoned, writes that would bypass it are refused, too. This is no {@link
   * io.sifr.internal.util.Failures.FirstFailure}, which would stop flushes as well: acknowledged
   * writes in memory are safe only once they are in an SST, because the system may drop pages of
   * the log that it could not write.
   */
  void checkWritable() {
    if (closed) {
      throw Lifecycle.closedException();
    }
    state.failure().check();
    log.checkSound();
  }
}
