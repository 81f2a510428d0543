package io.sifr.internal.wal;

import io.sifr.internal.util.FirstFailure;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Group commit: makes the log durable for all waiting threads with one sync. The first thread
 * syncs; threads that arrive meanwhile wait, and one of them then syncs for all of them. Appends go
 * on concurrently. Thread-safe.
 */
final class GroupCommit {
  private final LiveSegments segments;
  private final AtomicLong appendedSequence;
  private final FirstFailure failure;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition synced = lock.newCondition();
  private boolean syncing; // guarded by lock

  // Both written by the thread that syncs.
  private volatile long durableSequence;
  private volatile SyncedMark mark;

  /**
   * @param appendedSequence the last sequence number in the log, set with release semantics after
   *     the record
   * @param durableSequence the last sequence number that is durable already
   * @param mark the position in the log before which everything is durable already
   */
  GroupCommit(
      LiveSegments segments,
      AtomicLong appendedSequence,
      FirstFailure failure,
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

  /** The position before which everything is durable. */
  SyncedMark mark() {
    return mark;
  }

  /**
   * Waits until everything up to the sequence number, which must have been appended, is durable. An
   * interrupt does not end the wait.
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

  /** Called with the lock held, which is released during the sync. */
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
   * Syncs the oldest segment first: a durable segment after one that is not durable would leave a
   * hole. The sequence number is read before the segments, so the segments contain all records up
   * to it.
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
