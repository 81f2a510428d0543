package io.sifr.internal.wal;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes the log durable for all who wait, with one sync. The first to come syncs; who comes
 * meanwhile waits, and one of these syncs next, for all of them. Appends go on beside it.
 * Thread-safe.
 */
final class GroupCommit {
  private final LiveSegments segments;
  private final AtomicLong appendedSequence;
  private final LogFailure failure;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition synced = lock.newCondition();
  private boolean syncing; // guarded by lock

  // Both written by the one thread that syncs.
  private volatile long durableSequence;
  private volatile SyncedMark mark;

  /**
   * @param appendedSequence the last sequence number in the log, set with release semantics once it
   *     is there
   * @param durableSequence everything up to this one is durable already
   * @param mark everything before this place is
   */
  GroupCommit(
      LiveSegments segments,
      AtomicLong appendedSequence,
      LogFailure failure,
      long durableSequence,
      SyncedMark mark) {
    this.segments = segments;
    this.appendedSequence = appendedSequence;
    this.failure = failure;
    this.durableSequence = durableSequence;
    this.mark = mark;
  }

  long durableSequence() {
    return durableSequence;
  }

  /** The place before which everything is durable. */
  SyncedMark mark() {
    return mark;
  }

  /**
   * Returns when everything up to the sequence number, which was appended, is durable; not ended by
   * an interrupt.
   */
  void await(long sequence) {
    lock.lock();
    try {
      while (durableSequence < sequence) {
        failure.check();
        if (syncing) {
          synced.awaitUninterruptibly();
        } else {
          syncForAll();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Called with the lock held, which is given up meanwhile. */
  private void syncForAll() {
    syncing = true;
    lock.unlock();
    try {
      syncSegments();
    } catch (RuntimeException | Error e) {
      throw failure.poison(e);
    } finally {
      lock.lock();
      syncing = false;
      synced.signalAll();
    }
  }

  /**
   * Oldest first: a newer segment that is durable in front of an older one that is not would be a
   * hole. The sequence number is read before the segments, so all records up to it are in what is
   * synced.
   */
  private void syncSegments() {
    long target = appendedSequence.getAcquire();
    SyncedMark reached = mark;
    for (WalSegment segment : segments.all()) {
      reached = segment.sync();
    }
    mark = reached;
    durableSequence = target;
  }
}
