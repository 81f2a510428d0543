package io.sifr.internal.state;

import io.sifr.internal.view.Snapshots;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The one order of all writes of a store: the lock under which they happen, the newest sequence
 * number that readers see, and those that they have registered. Thread-safe.
 */
public final class WriteOrder {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition bufferFlushed = lock.newCondition();
  private final Snapshots snapshots = new Snapshots(this::visible);

  /** Written under the lock. */
  private volatile long visible;

  /**
   * The order of a store that is opened.
   *
   * @param lastSequence the last sequence number that may have been used
   */
  public WriteOrder(long lastSequence) {
    this.visible = lastSequence;
  }

  /** Begins a write; the lock is the outermost of the store. */
  public void lock() {
    lock.lock();
  }

  /** Ends a write. */
  public void unlock() {
    lock.unlock();
  }

  /** Newest sequence number whose batch is wholly in the memtables. */
  public long visible() {
    return visible;
  }

  /** Shows all writes up to that sequence number; under the lock. */
  public void show(long last) {
    visible = last;
  }

  /** Sequence numbers that stay readable. */
  public Snapshots snapshots() {
    return snapshots;
  }

  /**
   * Lets other writers in until the condition holds, which is looked at again after each {@link
   * #goOn}; under the lock.
   */
  public void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      bufferFlushed.awaitUninterruptibly();
    }
  }

  /** Has writers that wait look again: a buffer was flushed, or none will be. */
  public void goOn() {
    lock.lock();
    try {
      bufferFlushed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
