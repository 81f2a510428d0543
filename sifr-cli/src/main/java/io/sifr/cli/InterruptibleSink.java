package io.sifr.cli;

import io.sifr.Store;
import io.sifr.cli.terminal.Units;
import io.sifr.config.Durability;
import java.util.concurrent.CancellationException;

/**
 * A sink that can be stopped between two entries by another thread, and then says what is in the
 * database. Thread-safe.
 */
final class InterruptibleSink implements EntrySink {
  private static final String STOPPED = "stopped; ";
  private static final String THERE = STOPPED + "in the store and durable: ";

  private final EntrySink inner;
  private final boolean isBulk;

  /** Whether it takes no more entries; this and the two counts are guarded by this. */
  private boolean stopped;

  private long entries;
  private long rows;

  /** What it does with its entries at this moment; without the lock, which a bulk load may hold. */
  private volatile State state = State.ADDING;

  private enum State {
    ADDING,
    FINISHING,
    DONE
  }

  /**
   * @param isBulk whether entries are in the database only when all are added
   */
  InterruptibleSink(EntrySink inner, boolean isBulk) {
    this.inner = inner;
    this.isBulk = isBulk;
  }

  @Override
  public synchronized void put(byte[] key, byte[] value) {
    requireNotStopped();
    inner.put(key, value);
    entries++;
    rows++;
  }

  /** Counts a row of the input that gives no entry. */
  synchronized void pass() {
    rows++;
  }

  @Override
  public synchronized void finish() {
    requireNotStopped();
    state = State.FINISHING;
    inner.finish();
    state = State.DONE;
  }

  private void requireNotStopped() {
    if (stopped) {
      throw new CancellationException("the load was stopped");
    }
  }

  @Override
  public void close() {
    inner.close();
  }

  /**
   * Stops it; no entry is added any more. Those of before are in the database and durable when this
   * returns, unless it is a bulk load.
   *
   * @return what is there now, as a sentence for the user, which the way to go on may follow
   */
  String stop(Store store) {
    if (isBulk && state != State.DONE) {
      return state == State.ADDING
          ? STOPPED + "no entry is in the store, as --bulk adds all of them at its end"
          : STOPPED + "all entries are in the store or none, as they were being added at once";
    }
    synchronized (this) {
      stopped = true;
      boolean isAll = state == State.DONE;
      if (!isAll) {
        inner.finish();
      }
      makeDurable(store);
      return THERE
          + Units.entries(entries)
          + (isAll ? ", which is all; compactions go on when it is opened" : "");
    }
  }

  private static void makeDurable(Store store) {
    if (store.options().durability() == Durability.NONE) {
      store.flush(); // there is no log
    } else {
      store.sync();
    }
  }

  /** Whether everything was added. */
  boolean isDone() {
    return state == State.DONE;
  }

  /** Rows of the input from which entries were added, or which were passed over. */
  synchronized long rows() {
    return rows;
  }
}
