package io.sifr.internal.engine.write;

import io.sifr.error.SifrException;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Flushes;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds what the range tombstones of a database take in memory. A range delete beyond the limit
 * flushes the database and compacts what holds most of them, on its own thread, until half of the
 * limit is free; others of the database wait for that. A compaction on the caller's thread is the
 * simplest that is sure to end: it gets its turn whatever else is due, it fails visibly, and when
 * it is over, what is left is needed.
 *
 * <p>What is left may be more than the limit: a snapshot may need all of it. Then range deletes go
 * on, and the next attempt is made a quarter of the limit later.
 *
 * <p>Thread-safe.
 */
final class TombstoneLimit {
  private static final Logger LOG = LoggerFactory.getLogger(TombstoneLimit.class);

  private final long mostBytes;
  private final Consumer<DatabaseHandle> flush;
  private final Flushes background;

  /** Of databases that were beyond the limit. Guarded by itself. */
  private final Map<DatabaseHandle, Allowance> allowances = new WeakHashMap<>();

  /**
   * @param mostBytes the limit
   * @param flush flushes a database and waits for it
   */
  TombstoneLimit(long mostBytes, Consumer<DatabaseHandle> flush, Flushes background) {
    this.mostBytes = mostBytes;
    this.flush = flush;
    this.background = background;
  }

  /** The limit of a database at the moment; its lock is held while there is made room. */
  private final class Allowance {
    private final ReentrantLock lock = new ReentrantLock();
    private long bytes = mostBytes;
  }

  /**
   * Makes room for a range delete, if there is need. The caller holds no lock.
   *
   * @return whether it took any time
   */
  boolean makeRoom(DatabaseHandle database) {
    if (database.tombstones().bytes() <= mostBytes) {
      return false;
    }
    Allowance allowance = allowance(database);
    allowance.lock.lock();
    try {
      long bytes = database.tombstones().bytes();
      boolean isDue = bytes > allowance.bytes;
      if (isDue) {
        drop(database);
        allowance.bytes = enough(database.tombstones().bytes());
      } else {
        // Others have dropped some: what was needed then is needed no longer.
        allowance.bytes = Math.min(allowance.bytes, enough(bytes));
      }
      return isDue;
    } finally {
      allowance.lock.unlock();
    }
  }

  /** Whether a range delete would have to make room, or to wait for another that does. */
  boolean isDue(DatabaseHandle database) {
    long bytes = database.tombstones().bytes();
    if (bytes <= mostBytes) {
      return false;
    }
    Allowance allowance = allowance(database);
    if (!allowance.lock.tryLock()) {
      return true;
    }
    try {
      return bytes > allowance.bytes;
    } finally {
      allowance.lock.unlock();
    }
  }

  private Allowance allowance(DatabaseHandle database) {
    synchronized (allowances) {
      return allowances.computeIfAbsent(database, beyond -> new Allowance());
    }
  }

  private long enough(long left) {
    return Math.max(mostBytes, left + mostBytes / 4);
  }

  private void drop(DatabaseHandle database) {
    flush.accept(database);
    try {
      background.compactTombstones(database, mostBytes / 2);
    } catch (SifrException | CancellationException e) {
      LOG.warn("range tombstones of {} cannot be compacted: {}", database, e.getMessage());
    }
  }
}
