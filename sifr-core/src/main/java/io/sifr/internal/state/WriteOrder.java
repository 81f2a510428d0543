package io.sifr.internal.state;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sifr.internal.view.Snapshots;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The total order of all writes of a store: the lock under which they happen, the newest sequence
 * number that readers see, and the snapshots that are registered. Thread-safe.
 */
public final class WriteOrder {
  /**
   * After so many writes that have passed threads which wait for the lock, these get it in their
   * order. To hand it over for each write would take many times as long as the writes, since it is
   * idle until the next thread runs; never to hand it over would let a thread wait for a tenth of a
   * second and more while others write.
   */
  static final int MOST_PASSING = 256;

  /** Fair, but for {@link ReentrantLock#tryLock()}, which passes those who wait. */
  private final ReentrantLock lock = new ReentrantLock(true);

  /** Writes that have passed those who wait since the last of these got the lock. Guarded by it. */
  private int passed;

  /** Whether nobody may pass. Written under the lock. */
  private volatile boolean inOrder;

  private final Condition bufferFlushed = lock.newCondition();
  private final Snapshots snapshots = new Snapshots(this::visible);

  /** Written under the lock. */
  private volatile long visible;

  /**
   * The order of a store that is being opened.
   *
   * @param lastSequence the last sequence number that may have been used
   */
  public WriteOrder(long lastSequence) {
    this.visible = lastSequence;
  }

  /** Begins a write; the lock is the outermost of the store. */
  public void lock() {
    if (inOrder || !lock.tryLock()) {
      lock.lock();
      passed = 0;
      if (inOrder) {
        inOrder = false;
      }
    } else if (lock.hasQueuedThreads() && ++passed == MOST_PASSING) {
      inOrder = true;
    }
  }

  /** Ends a write. */
  public void unlock() {
    lock.unlock();
  }

  /** Newest sequence number whose batch is completely in the memtables. */
  public long visible() {
    return visible;
  }

  /** Makes all writes up to that sequence number visible; called under the lock. */
  public void show(long last) {
    visible = last;
  }

  /** Sequence numbers that stay readable. */
  public Snapshots snapshots() {
    return snapshots;
  }

  /**
   * Releases the lock to other writers until the condition holds, which is checked again after each
   * {@link #goOn}; called under the lock.
   */
  public void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      bufferFlushed.awaitUninterruptibly();
    }
  }

  /**
   * As above, but only for so long, also if the thread is interrupted.
   *
   * @return whether the condition holds
   */
  public boolean await(BooleanSupplier condition, long nanos) {
    long end = System.nanoTime() + nanos;
    boolean holds = condition.getAsBoolean();
    for (long left = nanos; !holds && left > 0; left = end - System.nanoTime()) {
      var unused = Uninterruptibles.awaitUninterruptibly(bufferFlushed, left, TimeUnit.NANOSECONDS);
      holds = condition.getAsBoolean();
    }
    return holds;
  }

  /**
   * Releases the lock while something slow is done; called under the lock. Others write meanwhile,
   * so the caller has to check again whatever it had checked before.
   */
  public void outside(Runnable slow) {
    lock.unlock();
    try {
      slow.run();
    } finally {
      lock();
    }
  }

  /** Wakes waiting writers: a buffer was flushed, or none will be. */
  public void goOn() {
    lock.lock();
    try {
      bufferFlushed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
