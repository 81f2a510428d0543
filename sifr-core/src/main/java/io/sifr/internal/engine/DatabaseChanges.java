package io.sifr.internal.engine;

import io.sifr.config.DatabaseOptions;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Databases;
import io.sifr.internal.state.StoreState;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;

/**
 * Creates, alters and drops databases. While the log is retained, each of these has a place in the
 * order of writes, so that who reads the changes of the store finds it there: all writes wait until
 * it is durable in the manifest, and so is the log before it.
 *
 * <p>Thread-safe.
 */
final class DatabaseChanges {
  /** For a manifest, if one has to be begun for it. */
  private static final long LEAST_BYTES = 1 << 20;

  private final StoreState state;
  private final Databases databases;
  private final WritePath writes;
  private final ReentrantLock besideTheLog;

  /**
   * @param besideTheLog held while something takes a place in the order of writes without being one
   */
  DatabaseChanges(StoreState state, WritePath writes, ReentrantLock besideTheLog) {
    this.state = state;
    this.databases = state.databases();
    this.writes = writes;
    this.besideTheLog = besideTheLog;
  }

  DatabaseHandle create(String name, DatabaseOptions options) {
    return recorded(sequence -> databases.create(name, options, sequence));
  }

  /** The database of that name, created if there is none. */
  DatabaseHandle getOrCreate(String name) {
    DatabaseHandle found = databases.find(name);
    return found != null ? found : recorded(sequence -> databases.getOrCreate(name, sequence));
  }

  /**
   * Changes the options of a database.
   *
   * @param then called when the change is in force, and before writes go on that it holds
   * @return the databases of indexes that it has no more
   */
  List<DatabaseHandle> alter(String name, DatabaseOptions options, Runnable then) {
    return recorded(
        sequence -> {
          List<DatabaseHandle> dropped =
              databases.alter(name, options, sequence, writes.gate()::drop);
          then.run();
          return dropped;
        });
  }

  /** Removes a database and its indexes; returns all of them. */
  List<DatabaseHandle> remove(String name) {
    return recorded(sequence -> databases.remove(name, sequence, writes.gate()::drop));
  }

  private <T> T recorded(LongFunction<T> change) {
    return state.log().withSpace(LEAST_BYTES, () -> recordedOnce(change));
  }

  private <T> T recordedOnce(LongFunction<T> change) {
    if (!state.log().isRetained()) {
      return change.apply(Databases.UNRECORDED);
    }
    besideTheLog.lock();
    try {
      state.log().sync(); // so that little is left to be synced while writes wait
      return whileWritesWait(change);
    } finally {
      besideTheLog.unlock();
    }
  }

  private <T> T whileWritesWait(LongFunction<T> change) {
    long sequence = writes.gate().holdAll();
    try {
      // All writes before are older: a power failure must not take them and leave this.
      state.log().sync();
      return change.apply(sequence);
    } finally {
      writes.gate().release(isUsed(sequence) ? sequence : 0);
    }
  }

  private boolean isUsed(long sequence) {
    LogHistory history = state.catalog().catalog().history();
    return history != null && !history.eventsAt(sequence).isEmpty();
  }
}
