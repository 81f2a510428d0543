package io.sifr.internal.wal;

import io.sifr.error.FileNotOpenedException;
import io.sifr.internal.util.Failures.FirstFailure;
import io.sifr.internal.wal.WalFormat.SyncedMark;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Group commit: makes the log durable for all waiting threads with one sync. The first thread
 * syncs; threads that arrive meanwhile form the next group, whose first thread syncs for all of it
 * as soon as it can. Appends go on concurrently. Thread-safe.
 *
 * <p>A thread that is woken needs no lock to go on: with a condition all of a group would have to
 * take its lock again, one after the other, and threads that come anew would overtake them there.
 */
final class GroupCommit {
  private final LiveSegments segments;
  private final AtomicLong appendedSequence;
  private final FirstFailure failure;
  private final Runnable beforeSync;

  /** The group that can be joined, until its sync begins; completed when that is over. */
  private final AtomicReference<@Nullable CompletableFuture<Void>> next = new AtomicReference<>();

  /** Held during a sync. The first thread of the next group is the only one that waits for it. */
  private final ReentrantLock turn = new ReentrantLock();

  // Both written with the turn held.
  private volatile long durableSequence;
  private volatile SyncedMark mark;

  /**
   * @param appendedSequence the last sequence number in the log, set with release semantics after
   *     the record
   * @param beforeSync makes durable what records refer to that are in the log already
   * @param durableSequence the last sequence number that is durable already
   * @param mark the position in the log before which everything is durable already
   */
  GroupCommit(
      LiveSegments segments,
      AtomicLong appendedSequence,
      FirstFailure failure,
      Runnable beforeSync,
      long durableSequence,
      SyncedMark mark) {
    this.segments = segments;
    this.appendedSequence = appendedSequence;
    this.failure = failure;
    this.beforeSync = beforeSync;
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
    while (durableSequence < sequence) {
      failure.check();
      CompletableFuture<Void> group = new CompletableFuture<>();
      CompletableFuture<Void> joined = next.compareAndExchange(null, group);
      if (joined == null) {
        syncFor(group);
      } else {
        joined.join();
      }
    }
  }

  private void syncFor(CompletableFuture<Void> group) {
    turn.lock();
    try {
      next.set(null); // who appends from now on may be too late for this sync
      failure.check(); // the sync before it may have failed, and this one would not show it
      if (durableSequence < appendedSequence.getAcquire()) {
        syncSegments();
      }
    } finally {
      turn.unlock(); // first, so that the next sync begins
      group.complete(null);
    }
  }

  /**
   * Syncs the oldest segment first: a durable segment after one that is not durable would leave a
   * hole. The sequence number is read before the segments, so the segments contain all records up
   * to it. So are the ends of their records, before what these refer to is made durable: a mark
   * says of a record that all of that is durable, too.
   */
  private void syncSegments() {
    long target = appendedSequence.getAcquire();
    SyncedMark reached = mark;
    List<WalSegment> all = segments.all();
    int[] ends = all.stream().mapToInt(WalSegment::endForSync).toArray();
    try {
      beforeSync.run();
    } catch (FileNotOpenedException e) {
      throw e; // nothing has failed yet, and it may be tried again
    } catch (RuntimeException | Error e) {
      throw failure.poison(e);
    }
    try {
      for (int i = 0; i < ends.length; i++) {
        reached = all.get(i).sync(ends[i]);
      }
    } catch (RuntimeException | Error e) {
      throw failure.poison(e);
    }
    mark = reached;
    durableSequence = target;
  }

  /**
   * The segments that are still needed, oldest first; the last one is being appended to.
   * Thread-safe.
   */
  static final class LiveSegments {
    private final Deque<WalSegment> segments = new ArrayDeque<>(); // guarded by this

    /** Adds the segment that is appended to from now on. */
    synchronized void add(WalSegment segment) {
      segments.addLast(segment);
    }

    /** A copy of the current list. */
    synchronized List<WalSegment> all() {
      return List.copyOf(segments);
    }

    /** Removes those with a smaller number, but never the last. */
    synchronized List<WalSegment> removeBefore(long number) {
      List<WalSegment> removed = new ArrayList<>();
      while (segments.size() > 1 && segments.getFirst().number() < number) {
        removed.add(segments.removeFirst());
      }
      return removed;
    }
  }
}
