package io.sifr;

import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.view.Snapshots;

/**
 * All databases as they were at one moment; read it with {@link ReadOptions#at}. Close it: until
 * then the versions it can see stay on disk. One that becomes unreachable without being closed is
 * closed by the garbage collector, with a warning in the log. Does not survive the close of its
 * store. Safe for any thread.
 */
public final class Snapshot implements AutoCloseable {
  private final StoreEngine engine;
  private final Snapshots.Handle handle;

  Snapshot(StoreEngine engine, Snapshots.Handle handle) {
    this.engine = engine;
    this.handle = handle;
  }

  /**
   * The sequence number of the last change that it sees: {@link Store#changes} from this number
   * plus 1 on are what it lacks.
   */
  public long sequence() {
    return handle.sequence();
  }

  long sequence(StoreEngine reader) {
    return handle(reader).sequence();
  }

  Snapshots.Handle handle(StoreEngine reader) {
    if (reader != engine) {
      throw new IllegalArgumentException("the snapshot is of another store");
    }
    return handle;
  }

  /** Releases the old versions. It can be called more than once. */
  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return "Snapshot[" + engine.directory() + "]";
  }
}
