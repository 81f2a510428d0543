package io.sifr.internal.wal;

import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.util.Failures;
import io.sifr.internal.util.Failures.FirstFailure;
import io.sifr.internal.wal.GroupCommit.LiveSegments;
import io.sifr.internal.wal.WalFormat.SyncedMark;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Appends to the write-ahead log of a store, which all its databases share. A record is one write
 * batch; it lies in one segment and is recovered as a whole or not at all (I6).
 *
 * <p>When {@link #append} has returned, the record survives a killed process; when {@link
 * #awaitDurable} has returned, it survives a power failure. After a failed store or sync the log is
 * poisoned: every later append, and every wait for records that are not durable yet, throws a
 * {@link StoreFailedException} with the first failure as its cause (I7): another writer takes its
 * place, usually when the store is opened again. A full disk is noticed when a segment is created,
 * before any record is torn, and does not poison the log.
 *
 * <p>{@link #append} and {@link #close} are called by one thread at a time, which holds the store's
 * write lock; the other methods may be called by any thread, without it. An interrupt ends no
 * method.
 */
public final class WalWriter implements AutoCloseable {
  /** Smallest size a segment can be given. */
  public static final int MIN_SEGMENT_BYTES = WalFormat.SEGMENT_ALIGNMENT;

  /** Largest size a segment can have, and so the limit of a record. */
  public static final int MAX_SEGMENT_BYTES = WalFormat.MAX_SEGMENT_BYTES;

  private static final long NOWHERE = Long.MAX_VALUE;

  private final StoreFileSystem files;
  private final Path directory;
  private final FirstFailure failure;
  private final SegmentSupply supply;
  private final LiveSegments segments = new LiveSegments();
  private final GroupCommit commit;

  // These two are set by the appending thread, with release semantics, after the record they
  // describe.
  private final AtomicLong appendedSequence;
  private final AtomicLong bytesAppended = new AtomicLong();

  /**
   * Offset in the active segment at which preparing the next one starts; guarded by the write lock.
   */
  private long spareWantedAt;

  /** Then each record is counted as if it were. */
  private final boolean mayBeEncrypted;

  // Both written by the thread that holds the write lock.
  private volatile WalSegment active;
  private volatile boolean closed;

  /**
   * Creates the first segment. An earlier log is left untouched, except that segments whose
   * creation a crash interrupted are deleted.
   *
   * @param parts what the log is written with
   * @param durableSequence the last sequence number of the store so far, which is durable; 0 when
   *     there is none
   * @throws StoreIoException when the first segment cannot be created, for instance because the
   *     disk is full
   */
  public WalWriter(WalParts parts, long durableSequence) {
    this(parts, durableSequence, 0, null);
  }

  /** Begins a log, or resumes one that was closed. */
  private WalWriter(
      WalParts parts, long durableSequence, long firstSegment, @Nullable WalEnd closed) {
    checkSegmentBytes(parts.segmentBytes());
    files = parts.files();
    directory = parts.directory();
    mayBeEncrypted = files.keys().areUsed();
    failure = new FirstFailure(directory, parts.resources().whenPoisoned());
    supply = new SegmentSupply(parts, failure);
    supply.deleteUnfinished();
    active = closed == null ? begin() : reopen(firstSegment, closed);
    appendedSequence = new AtomicLong(durableSequence);
    commit =
        new GroupCommit(
            segments,
            appendedSequence,
            failure,
            parts.resources().beforeSync(),
            durableSequence,
            new SyncedMark(active.number(), active.end()));
    spareWantedAt = spareWantedAt(active);
  }

  /**
   * Resumes a log whose end is recorded, as if it had never been closed: the next record follows
   * the last one in its segment.
   *
   * <p>A log as a crash leaves it must not be appended to: whole records may lie after its end, and
   * would seem to follow the new ones. After an orderly close this is impossible: the writer has
   * synced everything it ever stored, and the end of the log is recorded durably. After a {@link
   * WalRewrite} it is, too: there are zeros after the end. Before the first append, the record of
   * the end must be revoked durably.
   *
   * @param parts as for a new log
   * @param durableSequence as for a new log
   * @param firstSegment number of the oldest needed segment
   * @param closed where the log was closed, as {@link #end} returned then
   * @throws io.sifr.error.CorruptionException when a segment's header is damaged
   */
  public static WalWriter resume(
      WalParts parts, long durableSequence, long firstSegment, WalEnd closed) {
    return new WalWriter(parts, durableSequence, firstSegment, closed);
  }

  private WalSegment begin() {
    WalSegment first = supply.takeFirst();
    segments.add(first);
    return first;
  }

  private WalSegment reopen(long firstSegment, WalEnd closed) {
    try {
      for (long number : FileKind.WAL.numbersIn(files, directory)) {
        if (number >= firstSegment && number < closed.segment()) {
          segments.add(supply.reopenSealed(number));
        }
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
   * Whether a record can be appended without a call to the disk: it fits into the active segment,
   * or another one is ready. Waits for nothing; called under the write lock.
   *
   * @param length of its encoded operations, in bytes
   */
  public boolean isReadyFor(int length) {
    long frameBytes = WalFormat.frameBytes(length, mayBeEncrypted);
    return active.hasRoomFor(frameBytes)
        || isTooLarge(frameBytes)
        || supply.hasSpareFor(frameBytes);
  }

  /**
   * Waits until a segment is ready that a record fits into, and creates it if nobody does; called
   * without the write lock. Others may fill it before the caller does: it has to {@link #isReadyFor
   * check} again. Does nothing when the log is closed, or when others have switched to a segment
   * with room meanwhile.
   *
   * @param length as above
   * @param onlyDeletes whether the record only deletes: then it may take the space that is kept for
   *     flushes, because it makes room
   * @throws StoreIoException as {@link #append}
   * @throws StoreFailedException as {@link #append}
   */
  public void prepareFor(int length, boolean onlyDeletes) {
    failure.check();
    long frameBytes = WalFormat.frameBytes(length, mayBeEncrypted);
    if (active.hasRoomFor(frameBytes)) { // its end may be outdated, and the caller checks again
      return;
    }
    try {
      supply.prepareFor(
          frameBytes, onlyDeletes ? SegmentSupply.Space.ALL : SegmentSupply.Space.BESIDE_FLUSHES);
    } catch (StoreIoException e) {
      throw e; // as when an append takes a segment
    } catch (RuntimeException | Error e) {
      throw failure.poison(e);
    }
  }

  /**
   * Appends a record. Usually this only copies into memory, without a system call or an allocation;
   * when the segment is full and no other is {@link #isReadyFor ready}, it creates one.
   *
   * @param firstSequence sequence number of the first operation, larger than all appended before
   * @param operationCount number of operations, at least 1; each has a sequence number of its own
   * @param operations array that holds the encoded operations, which the log does not interpret
   * @param offset where they begin in the array
   * @param length their length in bytes
   * @return number of the segment the record went to
   * @throws IllegalArgumentException when an argument is out of range, or the record larger than
   *     the largest segment
   * @throws IllegalStateException when the log is closed
   * @throws StoreIoException when a new segment could not be created, for instance because the disk
   *     is full or no file descriptor is available; nothing was appended, and a later append tries
   *     again
   * @throws StoreFailedException when the log is poisoned, by an earlier failure or by this one
   */
  public long append(
      long firstSequence, int operationCount, byte[] operations, int offset, int length) {
    if (closed) {
      throw new IllegalStateException("the write-ahead log is closed");
    }
    failure.check();
    Objects.checkFromIndexSize(offset, length, operations.length);
    long lastSequence = checkSequences(firstSequence, operationCount);
    long frameBytes = WalFormat.frameBytes(length, mayBeEncrypted);
    WalSegment segment = active.hasRoomFor(frameBytes) ? active : roll(frameBytes);
    int written;
    try {
      written =
          segment.append(firstSequence, commit.mark(), operationCount, operations, offset, length);
    } catch (RuntimeException | Error e) {
      throw failure.poison(e);
    }
    bytesAppended.setRelease(bytesAppended.getPlain() + written);
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

  /** Whether no segment can hold it. */
  private boolean isTooLarge(long frameBytes) {
    return WalFormat.segmentBytesFor(frameBytes, mayBeEncrypted) > MAX_SEGMENT_BYTES;
  }

  /** Switches to the next segment, which exists and is durable before the seal names it. */
  private WalSegment roll(long frameBytes) {
    if (isTooLarge(frameBytes)) {
      throw new IllegalArgumentException(
          "a record takes " + frameBytes + " bytes; a segment has at most " + MAX_SEGMENT_BYTES);
    }
    WalSegment next = takeSegment(frameBytes);
    try {
      // Appended before the next segment is visible: a sync in between would mark this segment as
      // synced to its end without the seal; if the seal were then lost, replay would take it for
      // damage.
      active.seal(appendedSequence.getPlain() + 1, commit.mark(), next.number());
      files.reached(LogCrashPoint.LOG_SEALED);
    } catch (RuntimeException | Error e) {
      StoreFailedException failed = failure.poison(e);
      supply.giveUp(next, failed);
      throw failed;
    }
    segments.add(next);
    active = next;
    files.reached(LogCrashPoint.LOG_ROLLED);
    spareWantedAt = spareWantedAt(next);
    return next;
  }

  /** Whether a file name is that of a segment whose creation did not finish. */
  public static boolean isUnfinishedSegment(String fileName) {
    return SegmentSupply.isUnfinished(fileName);
  }

  private WalSegment takeSegment(long frameBytes) {
    try {
      return supply.take(frameBytes);
    } catch (StoreIoException e) {
      throw e; // nothing was torn, so the log is not poisoned
    } catch (RuntimeException | Error e) {
      throw failure.poison(e);
    }
  }

  /**
   * Waits until everything up to that sequence number is durable. All waiting threads share one
   * sync.
   *
   * @param sequence a sequence number that was appended, or a smaller one
   * @throws IllegalArgumentException when it was not appended yet
   * @throws StoreFailedException when the log is poisoned and the sequence number is not durable
   */
  public void awaitDurable(long sequence) {
    if (isDurable(sequence)) {
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
   * Poisons the log because of a failure outside of it. When a store into a mapping fails, the JVM
   * raises an {@link InternalError} in the thread that stored; from compiled code this happens
   * later, often after the return of {@link #append}. So the caller catches this error around the
   * whole commit of a write and reports it here.
   *
   * @param cause the failure
   * @return the exception to throw, with the first failure as its cause
   */
  public StoreFailedException poison(Throwable cause) {
    return failure.poison(cause);
  }

  /**
   * Throws when the log is poisoned.
   *
   * @throws StoreFailedException when it is poisoned, with the first failure as its cause
   */
  public void checkSound() {
    failure.check();
  }

  /** Whether it is not poisoned. */
  public boolean isSound() {
    return !failure.isNoted();
  }

  /**
   * What has poisoned the log, if that is of a file in another directory than the store's: then
   * that may be sound, and another log take the place of this one. Else null.
   */
  public @Nullable StoreIoException failedElsewhere() {
    return failure.first() instanceof StoreIoException e && !e.file().startsWith(directory)
        ? e
        : null;
  }

  /** Number of the segment that records are appended to. */
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
   * Where the records end of all segments before the given one, as far as this writer has completed
   * them, oldest first.
   */
  public List<SegmentEnd> endsBefore(long firstNeeded) {
    return segments.all().stream()
        .filter(segment -> segment.number() < firstNeeded)
        .map(WalSegment::sealedAt)
        .filter(Objects::nonNull)
        .toList();
  }

  /** Where the records of the active segment end. The caller must ensure that no append runs. */
  public SegmentEnd activeEnd() {
    WalSegment last = active;
    int end = last.end();
    return new SegmentEnd(last.number(), last.bytes(), end, end, appendedSequence.getPlain() + 1);
  }

  /** The position before which everything is durable. */
  public SyncedMark synced() {
    return commit.mark();
  }

  /** Whether everything appended so far is durable. */
  public boolean isDurable() {
    return isDurable(appendedSequence.getAcquire());
  }

  /** Whether everything up to that sequence number is durable. */
  public boolean isDurable(long sequence) {
    return sequence <= commit.durableSequence();
  }

  /** The last sequence number that was appended, or that was durable before the first was. */
  public long appendedSequence() {
    return appendedSequence.getAcquire();
  }

  /**
   * Releases all segments before the given one, except the active one. They are recycled or
   * deleted, unless they are retained.
   *
   * @param firstNeeded number of the first segment that is still needed. This number, or a larger
   *     one, must be durable already as the start of the next replay, because the earlier segments
   *     may be overwritten from now on (I4)
   * @param retained numbers of segments whose files stay as they are, until they are {@link
   *     #giveBack given back}
   * @throws io.sifr.error.StoreIoException when one could not be deleted; it is released all the
   *     same
   */
  public void release(long firstNeeded, LongPredicate retained) {
    Failures failures = new Failures();
    for (WalSegment segment : segments.removeBefore(firstNeeded)) {
      if (retained.test(segment.number())) {
        failures.collect(() -> segment.detach().close());
      } else {
        failures.collect(() -> supply.retire(segment));
      }
    }
    failures.throwFirst();
  }

  /** As above; none is retained. */
  public void release(long firstNeeded) {
    release(firstNeeded, number -> false);
  }

  /**
   * Recycles or deletes the file of a segment that was retained. The caller ensures that the
   * manifest says so durably.
   */
  public void giveBack(long number, int bytes) {
    supply.retire(number, bytes);
  }

  /**
   * Deletes the segments that are kept for recycling.
   *
   * @return how many bytes of the disk that has given back
   */
  public long deleteKept() {
    return supply.deleteKept();
  }

  /** The end of the log. The caller must ensure that no append runs. */
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

  /** Bytes of the segments that were not released. */
  public long segmentBytes() {
    return segments.all().stream().mapToLong(WalSegment::bytes).sum();
  }

  /** Bytes of all records appended so far, as they lie in the log. */
  public long bytesAppended() {
    return bytesAppended.getAcquire();
  }

  /**
   * Syncs what is not durable yet, unless the log is poisoned, and closes all files. The caller
   * must ensure that no append runs; a later one throws an {@link IllegalStateException}. Calls
   * after the first have no effect.
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
    if (!failure.isNoted()) {
      failures.collect(this::sync);
    }
    closeFiles(failures);
    failures.throwFirst();
  }

  /** Prepares no more segments, and waits for one that is: from now on another log does. */
  public void endSupply() {
    supply.discard();
  }

  /**
   * Closes all files of a log that is poisoned, and deletes them. The caller must ensure that the
   * manifest says durably that nothing of it is needed.
   *
   * @throws StoreIoException when one could not be closed or deleted; the others are all the same
   */
  public void discard() {
    closed = true;
    Failures failures = new Failures();
    segments.all().forEach(segment -> failures.collect(() -> supply.retire(segment)));
    failures.throwFirst();
  }

  private void closeFiles(Failures failures) {
    for (WalSegment segment : segments.all()) {
      failures.collect(() -> segment.detach().close());
    }
    failures.collect(supply::close);
  }
}
