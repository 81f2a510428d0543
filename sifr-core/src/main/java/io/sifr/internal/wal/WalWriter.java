package io.sifr.internal.wal;

import io.sifr.config.LogAccess;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.util.Failures;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Appends to the write-ahead log of a store, which all its databases share. A record is one write
 * batch: it lies in one segment and is recovered wholly or not at all (I6).
 *
 * <p>When {@link #append} has returned, a killed process loses nothing; when {@link #awaitDurable}
 * has, neither does a power failure. After a failed store or sync the log is poisoned: every later
 * append and every wait for what is not durable yet is a {@link StoreFailedException} with the
 * first failure as its cause (I7), until the store is opened again. A full disk is found when a
 * segment is created, before anything is torn, and poisons nothing.
 *
 * <p>{@link #append} and {@link #close} are called by one thread at a time, which holds the store's
 * write lock; the other methods by any thread, without it. No method is ended by an interrupt.
 */
public final class WalWriter implements AutoCloseable {
  /** Smallest size a segment can be given. */
  public static final int MIN_SEGMENT_BYTES = WalFormat.SEGMENT_ALIGNMENT;

  /** Largest size a segment can have, and so the limit of a record. */
  public static final int MAX_SEGMENT_BYTES = WalFormat.MAX_SEGMENT_BYTES;

  private static final long NOWHERE = Long.MAX_VALUE;

  private final StoreFileSystem files;
  private final LogFailure failure;
  private final SegmentSupply supply;
  private final LiveSegments segments = new LiveSegments();
  private final GroupCommit commit;

  // These two are set by the appending thread, with release semantics, behind the record they speak
  // of.
  private final AtomicLong appendedSequence;
  private final AtomicLong bytesAppended = new AtomicLong();

  /** Where in the active segment the next one is asked for; guarded by the write lock. */
  private long spareWantedAt;

  // Both written by the thread that holds the write lock.
  private volatile WalSegment active;
  private volatile boolean closed;

  /**
   * Creates the first segment. Nothing of an earlier log is touched; but what a crash left of a
   * segment that was just being created is deleted.
   *
   * @param files where the log lies
   * @param directory the store's directory
   * @param fileNumbers gives a number no file of the store ever had, larger than all before,
   *     starting from 1; called with and without the write lock, so it must not take that
   * @param segmentBytes size that segments grow to: a multiple of 4096, from {@link
   *     #MIN_SEGMENT_BYTES} to {@link #MAX_SEGMENT_BYTES}; a larger record gets a segment of its
   *     own
   * @param access how segments are written
   * @param executor where segments are prepared ahead; it may refuse, then appends prepare them
   * @param durableSequence the last sequence number of the store so far, which is durable; 0 when
   *     there is none
   * @throws StoreIoException when the first segment cannot be made, for want of space for instance
   */
  public WalWriter(
      StoreFileSystem files,
      Path directory,
      LongSupplier fileNumbers,
      long segmentBytes,
      LogAccess access,
      Executor executor,
      long durableSequence) {
    this(
        files,
        directory,
        fileNumbers,
        new SecureRandom()::nextLong,
        segmentBytes,
        access,
        executor,
        durableSequence);
  }

  /**
   * As above.
   *
   * @param uniqueIds gives the ids of files, in tests the same ones each time
   */
  WalWriter(
      StoreFileSystem files,
      Path directory,
      LongSupplier fileNumbers,
      LongSupplier uniqueIds,
      long segmentBytes,
      LogAccess access,
      Executor executor,
      long durableSequence) {
    this(
        files,
        directory,
        fileNumbers,
        uniqueIds,
        segmentBytes,
        access,
        executor,
        durableSequence,
        0,
        null);
  }

  /** Begins a log, or resumes one that was closed. */
  private WalWriter(
      StoreFileSystem files,
      Path directory,
      LongSupplier fileNumbers,
      LongSupplier uniqueIds,
      long segmentBytes,
      LogAccess access,
      Executor executor,
      long durableSequence,
      long firstSegment,
      @Nullable WalEnd closed) {
    checkSegmentBytes(segmentBytes);
    this.files = files;
    failure = new LogFailure(directory);
    supply =
        new SegmentSupply(
            files,
            directory,
            fileNumbers,
            uniqueIds,
            (int) segmentBytes,
            access,
            executor,
            failure);
    supply.deleteUnfinished();
    active = closed == null ? begin() : reopen(firstSegment, closed);
    appendedSequence = new AtomicLong(durableSequence);
    commit =
        new GroupCommit(
            segments,
            appendedSequence,
            failure,
            durableSequence,
            new SyncedMark(active.number(), active.end()));
    spareWantedAt = spareWantedAt(active);
  }

  /**
   * Goes on in a log that was closed in order, as if it had never been closed: the next record
   * follows the last one in its segment.
   *
   * <p>A log of which a crash has left the end is never appended to: whole records may lie behind
   * that place, and would follow what is written there now. Here none can: a writer that closes in
   * order has synced all it ever stored, and said durably where that ends. Before the first append
   * it has to be said durably that this holds no longer.
   *
   * @param files as for a new log, and so are the other parameters but the last two
   * @param firstSegment number of the oldest segment that is needed
   * @param closed where the log was closed, as {@link #end} told then
   * @throws io.sifr.error.CorruptionException when a segment's header is damaged
   */
  public static WalWriter resume(
      StoreFileSystem files,
      Path directory,
      LongSupplier fileNumbers,
      long segmentBytes,
      LogAccess access,
      Executor executor,
      long durableSequence,
      long firstSegment,
      WalEnd closed) {
    return new WalWriter(
        files,
        directory,
        fileNumbers,
        new SecureRandom()::nextLong,
        segmentBytes,
        access,
        executor,
        durableSequence,
        firstSegment,
        closed);
  }

  private WalSegment begin() {
    WalSegment first = supply.take(0);
    segments.add(first);
    return first;
  }

  private WalSegment reopen(long firstSegment, WalEnd closed) {
    try {
      for (long number : supply.present(firstSegment, closed.segment() - 1)) {
        segments.add(supply.reopen(number, WalFormat.FIRST_FRAME)); // sealed: nothing is appended
      }
      WalSegment last = supply.reopen(closed.segment(), closed.offset());
      segments.add(last);
      return last;
    } catch (RuntimeException | Error e) {
      closeFiles(new Failures());
      throw e;
    }
  }

  private long spareWantedAt(WalSegment segment) {
    if (supply.isFullSize(segment)) {
      supply.prepareNext(segment);
      return NOWHERE;
    }
    return segment.bytes() / 2;
  }

  private static void checkSegmentBytes(long segmentBytes) {
    if (segmentBytes < MIN_SEGMENT_BYTES
        || segmentBytes > MAX_SEGMENT_BYTES
        || segmentBytes % WalFormat.SEGMENT_ALIGNMENT != 0) {
      throw new IllegalArgumentException(
          "segmentBytes is "
              + segmentBytes
              + "; allowed: multiples of "
              + WalFormat.SEGMENT_ALIGNMENT
              + " from "
              + MIN_SEGMENT_BYTES
              + " to "
              + MAX_SEGMENT_BYTES);
    }
  }

  /**
   * Appends a record. Usually a copy into memory, without a system call or an allocation; when a
   * segment is full and no other is ready, the creation of one.
   *
   * @param firstSequence sequence number of the first operation, larger than all appended before
   * @param operationCount number of operations, at least 1; each has a sequence number of its own
   * @param operations array that holds the encoded operations, which mean nothing to the log
   * @param offset where they begin
   * @param length how long they are
   * @return number of the segment the record went to
   * @throws IllegalArgumentException when an argument is out of range, or the record larger than
   *     the largest segment
   * @throws IllegalStateException when the log is closed
   * @throws StoreIoException when a new segment could not be made, for want of space or of a file
   *     descriptor for instance; nothing happened, and a later append tries again
   * @throws StoreFailedException when the log is poisoned, or is now
   */
  public long append(
      long firstSequence, int operationCount, byte[] operations, int offset, int length) {
    if (closed) {
      throw new IllegalStateException("the write-ahead log is closed");
    }
    failure.check();
    Objects.checkFromIndexSize(offset, length, operations.length);
    long lastSequence = checkSequences(firstSequence, operationCount);
    long frameBytes = WalFormat.frameBytes(length);
    WalSegment segment = active.hasRoomFor(frameBytes) ? active : roll(frameBytes);
    try {
      segment.append(firstSequence, commit.mark(), operationCount, operations, offset, length);
    } catch (RuntimeException | Error e) {
      throw failure.poison(e);
    }
    bytesAppended.setRelease(bytesAppended.getPlain() + frameBytes);
    appendedSequence.setRelease(lastSequence);
    if (segment.end() > spareWantedAt) {
      spareWantedAt = NOWHERE;
      supply.prepareNext(segment);
    }
    return segment.number();
  }

  /** The sequence number of the last operation. */
  private long checkSequences(long firstSequence, int operationCount) {
    if (operationCount < 1) {
      throw new IllegalArgumentException(
          "operation count is " + operationCount + "; a record has at least 1");
    }
    long smallest = appendedSequence.getPlain() + 1;
    long largest = Trailer.MAX_SEQUENCE - operationCount + 1;
    if (firstSequence < smallest || firstSequence > largest) {
      throw new IllegalArgumentException(
          "first sequence number is "
              + firstSequence
              + "; allowed: "
              + smallest
              + " to "
              + largest);
    }
    return firstSequence + operationCount - 1;
  }

  /** Goes on to the next segment: it is there and durable before the seal names it. */
  private WalSegment roll(long frameBytes) {
    if (WalFormat.segmentBytesFor(frameBytes) > MAX_SEGMENT_BYTES) {
      throw new IllegalArgumentException(
          "a record takes " + frameBytes + " bytes; a segment has at most " + MAX_SEGMENT_BYTES);
    }
    WalSegment next = takeSegment(frameBytes);
    try {
      // Before the next segment can be seen: a sync in between would mark this one as synced to
      // its end, without the seal; should that be lost, replay would take it for damage.
      active.seal(appendedSequence.getPlain() + 1, commit.mark(), next.number());
      files.reached(CrashPoint.LOG_SEALED);
    } catch (RuntimeException | Error e) {
      StoreFailedException failed = failure.poison(e);
      supply.giveUp(next, failed);
      throw failed;
    }
    segments.add(next);
    active = next;
    files.reached(CrashPoint.LOG_ROLLED);
    spareWantedAt = spareWantedAt(next);
    return next;
  }

  /** Whether a file of that name is a segment that was only being filled. */
  public static boolean isUnfinishedSegment(String fileName) {
    return SegmentSupply.isUnfinished(fileName);
  }

  private WalSegment takeSegment(long frameBytes) {
    try {
      return supply.take(frameBytes);
    } catch (StoreIoException e) {
      throw e; // nothing was torn: not poison
    } catch (RuntimeException | Error e) {
      throw failure.poison(e);
    }
  }

  /**
   * Returns when everything up to that sequence number is durable. All who wait share one sync.
   *
   * @param sequence a sequence number that was appended, or any smaller one
   * @throws IllegalArgumentException when it was not appended yet
   * @throws StoreFailedException when the log is poisoned and the sequence number not durable
   */
  public void awaitDurable(long sequence) {
    if (sequence <= commit.durableSequence()) {
      return;
    }
    if (sequence > appendedSequence.getAcquire()) {
      throw new IllegalArgumentException(
          "sequence number is " + sequence + "; appended: up to " + appendedSequence.getAcquire());
    }
    commit.await(sequence);
  }

  /**
   * Makes everything appended before the call durable.
   *
   * @throws StoreFailedException as {@link #awaitDurable}
   */
  public void sync() {
    awaitDurable(appendedSequence.getAcquire());
  }

  /**
   * Poisons the log for a failure that was met outside of it. A store into a mapping that the file
   * system breaks off is an {@link InternalError}, which the JVM raises in the thread that stored,
   * but from compiled code at some later moment: often behind the return of {@link #append}. So
   * whoever commits a write catches it around all of the commit and tells the log.
   *
   * @param cause what was met
   * @return the exception to throw, with the first failure as its cause
   */
  public StoreFailedException poison(Throwable cause) {
    return failure.poison(cause);
  }

  /**
   * Does nothing while the log is sound.
   *
   * @throws StoreFailedException when it is poisoned, with the first failure as its cause
   */
  public void checkSound() {
    failure.check();
  }

  /** Number of the segment that is appended to. */
  public long activeSegment() {
    return active.number();
  }

  /**
   * Numbers of the segments that were not released, oldest first; the last one is the {@link
   * #activeSegment}.
   */
  public long[] segments() {
    return segments.all().stream().mapToLong(WalSegment::number).toArray();
  }

  /**
   * Gives up all segments before the given one; but never the active one. They are recycled or
   * deleted.
   *
   * @param firstNeeded number of the first segment that is still needed. That the earlier ones are
   *     not must be durable already, because from now on they may be overwritten (I4): replay is
   *     given this number or a larger one
   * @throws io.sifr.error.StoreIoException when one could not be deleted; it is given up all the
   *     same
   */
  public void release(long firstNeeded) {
    Failures failures = new Failures();
    for (WalSegment segment : segments.removeBefore(firstNeeded)) {
      failures.collect(() -> supply.retire(segment));
    }
    failures.throwFirst();
  }

  /** Where the log ends: for whoever has seen to it that no append runs. */
  public WalEnd end() {
    WalSegment last = active;
    return new WalEnd(last.number(), last.end());
  }

  /** Bytes from the beginning of a segment to the end of the log. */
  public long bytesFrom(long firstSegment) {
    WalEnd end = end();
    return end.offset()
        + segments.all().stream()
            .filter(segment -> segment.number() >= firstSegment)
            .filter(segment -> segment.number() < end.segment())
            .mapToLong(WalSegment::bytes)
            .sum();
  }

  /** Bytes that the segments take that were not released. */
  public long segmentBytes() {
    return segments.all().stream().mapToLong(WalSegment::bytes).sum();
  }

  /** Bytes of all records appended so far, as they lie in the log. */
  public long bytesAppended() {
    return bytesAppended.getAcquire();
  }

  /**
   * Syncs what is not durable yet, unless the log is poisoned, and closes all files. The caller
   * sees to it that no append runs; a later one is an {@link IllegalStateException}. It can be
   * called more than once.
   *
   * @throws StoreFailedException when the last sync failed; everything is closed all the same
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    Failures failures = new Failures();
    if (!failure.happened()) {
      failures.collect(this::sync);
    }
    closeFiles(failures);
    failures.throwFirst();
  }

  private void closeFiles(Failures failures) {
    for (WalSegment segment : segments.all()) {
      failures.collect(() -> segment.detach().close());
    }
    failures.collect(supply::close);
  }
}
