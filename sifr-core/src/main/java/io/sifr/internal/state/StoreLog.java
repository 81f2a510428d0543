package io.sifr.internal.state;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.util.Failures.FirstFailure;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.SegmentEnd;
import io.sifr.internal.wal.WalEnd;
import io.sifr.internal.wal.WalFormat.SyncedMark;
import io.sifr.internal.wal.WalParts;
import io.sifr.internal.wal.WalResources;
import io.sifr.internal.wal.WalWriter;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life cycle of a store's log: it is created, or resumed where it was closed, with the first
 * logged write, and replaced if it fails on another device than the store's; its segments are
 * released as write buffers are flushed; when the store is closed, the manifest records what the
 * next open needs of it.
 *
 * <p>Thread-safe.
 */
public final class StoreLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreLog.class);

  /** Bytes given back at a time when there is no space for a segment, which may be small. */
  private static final long MOST_GIVEN_BACK_FOR_A_SEGMENT = 1 << 20;

  private final Setup setup;
  private final FirstFailure failure;
  private final WriteOrder writes;
  private final CatalogStore catalog;
  private final Databases databases;
  private final WalResources resources;
  private final DiskSpace space;

  /** Held while the log is created or resumed. The write lock is never taken under it. */
  private final Object opening = new Object();

  /** True if the log is not opened any more; guarded by opening. */
  private boolean stopped;

  /**
   * Set before something is logged for the first time, and when the log is replaced. Written under
   * opening.
   */
  private volatile @Nullable WalWriter writer;

  /** Replaces the log if it has failed; null: nothing does. */
  private volatile @Nullable Runnable replacement;

  /** Whether no other log could be begun when that was last tried. */
  private volatile boolean isReplacedInVain;

  /** The end of the closed log that the store was opened with; null if there was none. */
  private final @Nullable WalEnd closedBefore;

  /** The ends of the records in the segments of that log, oldest first. */
  private final List<SegmentEnd> found;

  private final RetainedLog retained;
  private final ReleasedSegments released;

  /** True if the log is retained, as long as the store is open. */
  private final boolean isRetained;

  /**
   * The log of a store that was just opened.
   *
   * @param resources where segments are prepared in advance, and which are kept
   * @param found of the log that was closed, where the records of its segments end
   */
  public StoreLog(
      Setup setup,
      FirstFailure failure,
      WriteOrder writes,
      CatalogStore catalog,
      Databases databases,
      WalResources resources,
      List<SegmentEnd> found) {
    this.setup = setup;
    this.failure = failure;
    this.writes = writes;
    this.catalog = catalog;
    this.databases = databases;
    this.resources = resources;
    this.space = new DiskSpace(setup, catalog, databases);
    this.closedBefore = catalog.catalog().logClosed();
    this.found = found;
    this.retained = new RetainedLog(catalog, setup::now);
    this.isRetained = retained.history() != null;
    this.released = new ReleasedSegments(setup, catalog, retained, this::writer);
  }

  /** Whether the log is retained: then everything is logged or recorded in the manifest. */
  public boolean isRetained() {
    return isRetained;
  }

  /** Whether all writes from that sequence number on are in what is retained or needed. */
  public boolean isRetainedFrom(long sequence) {
    LogHistory history = retained.history();
    return history != null && history.firstSequence() <= sequence;
  }

  /** Its writer; null when nothing was logged since the store was opened. */
  public @Nullable WalWriter writer() {
    return writer;
  }

  /**
   * Whether a record can be logged without a call to the disk. Waits for nothing; called under the
   * write lock.
   *
   * @param length of its encoded operations, in bytes
   */
  public boolean isReadyFor(int length) {
    WalWriter open = writer;
    return open != null && open.isReadyFor(length);
  }

  /**
   * Opens the log if it is not open, else has it prepare a segment for a record; called without the
   * write lock, so that others write meanwhile. They may fill the segment, so the caller has to
   * {@link #isReadyFor check} again. Does nothing after {@link #stop}.
   *
   * @param length as above
   * @param onlyDeletes whether the record only deletes: then it may take the space that is kept for
   *     flushes
   */
  public void prepareFor(int length, boolean onlyDeletes) {
    withSpace(
        Math.min(setup.options().logSegmentBytes(), MOST_GIVEN_BACK_FOR_A_SEGMENT),
        () -> {
          prepare(length, onlyDeletes);
          return this;
        });
  }

  private void prepare(int length, boolean onlyDeletes) {
    WalWriter open = writer;
    if (open == null) {
      open();
    } else {
      open.prepareFor(length, onlyDeletes);
    }
  }

  /**
   * Does something that needs space. If there is none, what is only kept of the log is given back,
   * and it is tried again.
   *
   * @param bytes about how many it needs
   * @throws StoreFullException if there is none, and nothing to give back
   */
  @CanIgnoreReturnValue
  public <T> T withSpace(long bytes, Supplier<T> action) {
    while (true) {
      try {
        return action.get();
      } catch (StoreFullException e) {
        if (!released.makeSpace(bytes)) {
          throw e;
        }
      }
    }
  }

  private void open() {
    synchronized (opening) {
      if (writer == null && !stopped) {
        writer = beginOrResume();
      }
    }
  }

  /** From now on the log is not opened any more; waits until nobody is opening it. */
  public void stop() {
    synchronized (opening) {
      stopped = true;
    }
  }

  private WalWriter beginOrResume() {
    WalEnd closed = catalog.catalog().logClosed();
    WalWriter log = closed == null ? begin() : resume(closed);
    long first = closed == null ? log.activeSegment() : catalog.catalog().firstSegment();
    return started(log, List.of(new ForestEdit.LogStart(first)));
  }

  /**
   * Makes edits durable before the first record of a log, so that after a crash the manifest says
   * where the log begins, and no longer where it or another one ends.
   */
  private WalWriter started(WalWriter log, List<ForestEdit> edits) {
    try {
      catalog.commit(edits);
      setup.fileSystem().reached(StateCrashPoint.LOG_STARTED);
    } catch (RuntimeException | Error e) {
      log.close();
      throw e;
    }
    return log;
  }

  private WalWriter begin() {
    try {
      return new WalWriter(parts(), writes.visible());
    } catch (StoreFailedException e) {
      // There is no log yet that would keep the failure.
      failure.note(Objects.requireNonNullElse(e.getCause(), e));
      throw e;
    }
  }

  private WalWriter resume(WalEnd closed) {
    return WalWriter.resume(parts(), writes.visible(), catalog.catalog().firstSegment(), closed);
  }

  private WalParts parts() {
    return new WalParts(
        setup.fileSystem(),
        setup.directory(),
        this::nextNumber,
        new SecureRandom()::nextLong,
        setup.options().logSegmentBytes(),
        setup.options().logAccess(),
        resources.withRoom(space::forLog).withWhenPoisoned(replacement));
  }

  /**
   * Lets a log be replaced that fails in another directory than the store's.
   *
   * @param begin called when the log has failed, and after each flush as long as it is not
   *     replaced, perhaps under locks: it waits for nothing, and has {@link #replace} called
   */
  public void replaceWith(Runnable begin) {
    replacement = begin;
  }

  /**
   * Whether it has failed and is going to be replaced soon, once nothing in memory needs it: not if
   * no other log could be begun. Called with or without the write lock.
   */
  public boolean isBeingReplaced() {
    return !isReplacedInVain && failedElsewhere() != null;
  }

  /** Why it is to be replaced; null if it is not. */
  public @Nullable StoreIoException failedElsewhere() {
    WalWriter log = writer;
    if (log == null || log.isSound() || replacement == null || failure.isNoted()) {
      return null;
    }
    // What SSTs need that may be lost is in the store's directory, and stays.
    return catalog.catalog().firstLogged() == LogicalTree.NOT_LOGGED ? log.failedElsewhere() : null;
  }

  /** Tells that buffers were flushed: perhaps nothing in memory needs a failed log any more. */
  public void flushed() {
    Runnable begin = replacement;
    if (begin != null && failedElsewhere() != null) {
      begin.run();
    }
  }

  /**
   * Begins another log in the place of one that has {@linkplain #failedElsewhere failed}, if no
   * write buffer needs that any more. All that was written is in SSTs then. A history that is
   * retained begins anew, since it may lack what was not durable in the log. Called when no write
   * is in progress: those that come are refused or wait, as the log has failed.
   *
   * @return whether there is nothing left to be replaced; if not, more has to be flushed
   * @throws SifrException when no log can be begun; then it may be tried again
   */
  public boolean replace() {
    WalWriter failed;
    LogHistory history;
    synchronized (opening) {
      failed = writer;
      if (stopped || failed == null || failedElsewhere() == null) {
        return true;
      } else if (firstNeeded() != WriteBuffer.NO_SEGMENT) {
        return false;
      }
      history = retained.history();
      try {
        writer = beginInPlaceOf(failed);
        isReplacedInVain = false;
      } catch (RuntimeException | Error e) {
        isReplacedInVain = true;
        throw e;
      }
    }
    released.replaced(failed, history == null ? List.of() : history.segments());
    return true;
  }

  private WalWriter beginInPlaceOf(WalWriter failed) {
    endSupply(failed);
    WalWriter begun = begin();
    List<ForestEdit> edits = new ArrayList<>();
    edits.add(new ForestEdit.LogStart(begun.activeSegment()));
    edits.addAll(retained.beginAnew(writes.visible() + 1));
    return started(begun, edits);
  }

  private static void endSupply(WalWriter failed) {
    try {
      failed.endSupply();
    } catch (SifrException e) {
      LOG.warn("not all files of the log that has failed could be closed: {}", e.getMessage());
    }
  }

  /** What is left of the disk. */
  public DiskSpace space() {
    return space;
  }

  /** See {@link RetainedLog#homeBefore}. */
  public long homeBefore(long mostBytes) {
    return retained.homeBefore(mostBytes);
  }

  /** Its segments that no write buffer needs. */
  public ReleasedSegments released() {
    return released;
  }

  /**
   * Gives back what is only kept of the log until there is space for the flush of what is written,
   * besides what is kept for deletes and compactions.
   *
   * @throws StoreFullException if there is none
   */
  public void requireRoom() {
    withSpace(
        space.flushBytesOfAll(),
        () -> {
          space.requireRoom();
          return this;
        });
  }

  /**
   * Gives back what is only kept of the log until there is space for a value, besides what is kept
   * for flushes, deletes and compactions.
   *
   * @throws StoreFullException if there is none
   */
  public void requireRoomFor(long bytes) {
    withSpace(
        bytes,
        () -> {
          space.requireRoomFor(bytes);
          return this;
        });
  }

  /**
   * The number of a new segment. After a failure of the store there is none: its name might seem
   * durable because the directory, whose sync had failed, was synced again.
   */
  private long nextNumber() {
    failure.check();
    return catalog.nextNumber();
  }

  /** Makes everything logged so far durable. */
  public void sync() {
    WalWriter log = writer;
    if (log != null) {
      log.sync();
    }
  }

  /**
   * Throws when the log is poisoned.
   *
   * @throws io.sifr.error.StoreFailedException as {@link WalWriter#checkSound}
   */
  public void checkSound() {
    WalWriter log = writer;
    if (log != null) {
      log.checkSound();
    }
  }

  /** Whether it is not poisoned. */
  public boolean isSound() {
    WalWriter log = writer;
    return log == null || log.isSound();
  }

  /** The databases whose active write buffers keep the oldest segment from being released. */
  public List<DatabaseHandle> holdersOfOldestSegment() {
    long oldest = firstNeeded();
    return oldest == WriteBuffer.NO_SEGMENT
        ? List.of()
        : databases.all().stream()
            .filter(database -> database.view().get().active().firstSegment() == oldest)
            .toList();
  }

  /**
   * The oldest segment that write buffers other than {@code flushed} need; 0 when nothing was
   * logged since the store was opened: then the log is as it was closed, and the manifest says
   * where it ends.
   *
   * <p>The active segment is read first: a write in progress in an older one would have to hold the
   * write lock, and then the log could not have switched to the active one. A database that is
   * being dropped counts as long as it is listed: until its drop is durable, a crash restores it
   * with all acknowledged writes.
   */
  public long firstNeededWithout(Set<WriteBuffer> flushed) {
    WalWriter log = writer;
    if (log == null) {
      return 0;
    }
    long first = log.activeSegment();
    for (DatabaseHandle database : databases.all()) {
      first = Math.min(first, database.view().get().firstSegmentWithout(flushed));
    }
    return first;
  }

  /**
   * Makes the log durable when what is about to be durable in SSTs may be newer than writes that
   * are only in the log, or belong to the same batches: if a power failure lost them, there would
   * be a gap. A single buffer is older than all other writes to its own database.
   *
   * <p>A log that is retained is always synced, so that it lacks nothing that the SSTs contain.
   *
   * <p>A failed log stops no flush (I7): what is in memory is safe only in SSTs then.
   *
   * @param flushed one write buffer of each of the databases {@code of}
   */
  public void syncForOthers(Set<DatabaseHandle> of, Set<WriteBuffer> flushed) {
    boolean isNeeded =
        isRetained
            || databases.all().stream()
                .filter(database -> of.size() > 1 || !of.contains(database))
                .map(database -> database.view().get().firstSegmentWithout(flushed))
                .anyMatch(first -> first != WriteBuffer.NO_SEGMENT);
    if (isNeeded) {
      try {
        sync();
      } catch (SifrException e) {
        LOG.warn("flushing although the log cannot be synced: {}", e.getMessage());
      }
    }
  }

  /**
   * Edits that make the segments before that one obsolete, or retain them.
   *
   * @param firstNeeded 0 if nothing was logged since the store was opened: then there are none
   */
  public List<ForestEdit> editsOfRelease(long firstNeeded) {
    if (firstNeeded == 0) {
      return List.of();
    }
    return editsOfRelease(firstNeeded, endsBefore(firstNeeded));
  }

  /**
   * Edits that retain segments, none of a log that has failed: what is missing of it would look
   * like damage. Then the log stays as it is if SSTs may be lost that have the same writes.
   */
  private List<ForestEdit> editsOfRelease(long firstNeeded, List<SegmentEnd> ends) {
    List<ForestEdit> edits = new ArrayList<>();
    edits.add(new ForestEdit.LogStart(firstNeeded));
    if (!isRetained) {
      return edits;
    } else if (makeDurable()) {
      edits.addAll(retained.retain(ends));
      return edits;
    }
    LOG.warn("the log is not retained from here on");
    return catalog.catalog().firstLogged() == LogicalTree.NOT_LOGGED ? edits : List.of();
  }

  /** Makes all that was logged durable, and returns whether that has worked. */
  public boolean makeDurable() {
    try {
      sync();
      checkSound();
      return true;
    } catch (SifrException e) {
      LOG.warn("the log cannot be synced: {}", e.getMessage());
      return false;
    }
  }

  /** Where the records of the segments before that one end, which are not released. */
  private List<SegmentEnd> endsBefore(long firstNeeded) {
    WalWriter log = writer;
    List<SegmentEnd> written = log == null ? List.of() : log.endsBefore(firstNeeded);
    long firstWritten = written.isEmpty() ? firstNeeded : written.get(0).segment();
    List<SegmentEnd> ends = new ArrayList<>();
    found.stream().filter(end -> end.segment() < firstWritten).forEach(ends::add);
    ends.addAll(written);
    return ends;
  }

  /** The oldest segment that a write buffer needs, or {@link WriteBuffer#NO_SEGMENT}. */
  private long firstNeeded() {
    return databases.all().stream()
        .mapToLong(database -> database.view().get().firstSegment())
        .min()
        .orElse(WriteBuffer.NO_SEGMENT);
  }

  /**
   * The part of the log that write buffers need at this moment.
   *
   * @param first its first segment
   * @param end where its last record ends
   */
  public record Needed(long first, WalEnd end) {}

  /**
   * What write buffers need of the log; null when they need nothing. Called under the write lock;
   * waits for nothing.
   */
  public @Nullable Needed needed() {
    long first = firstNeeded();
    if (first == WriteBuffer.NO_SEGMENT) {
      return null;
    }
    WalWriter log = writer;
    if (log != null) {
      return new Needed(first, log.end());
    }
    // Nothing was logged yet, so the log is as it was found.
    return new Needed(first, Objects.requireNonNull(closedBefore));
  }

  /** Bytes of the log that write buffers need; called when no write is in progress. */
  public long neededBytes() {
    long first = firstNeeded();
    if (first == WriteBuffer.NO_SEGMENT) {
      return 0;
    }
    WalWriter log = writer;
    return log == null ? closedBytes() : log.bytesFrom(first);
  }

  /** Bytes of a log to which nothing was written since the store was opened. */
  private long closedBytes() {
    Catalog last = catalog.catalog();
    WalEnd closed = Objects.requireNonNull(last.logClosed());
    return closed.offset()
        + FileKind.WAL.numbersIn(setup.fileSystem(), setup.directory()).stream()
            .filter(number -> number >= last.firstSegment() && number < closed.segment())
            .mapToLong(
                number -> setup.fileSystem().size(FileKind.WAL.path(setup.directory(), number)))
            .sum();
  }

  /**
   * Edits that record what the next open needs of the log: nothing, or everything from some segment
   * up to its end. No edits if that has not changed. Called when no write is in progress.
   */
  public List<ForestEdit> editsOfEnd() {
    WalWriter log = writer;
    WalEnd closed = catalog.catalog().logClosed();
    long needed = firstNeeded();
    if (log != null && needed != WriteBuffer.NO_SEGMENT) {
      WalEnd end = log.end();
      List<ForestEdit> edits = new ArrayList<>(editsOfRelease(needed));
      edits.add(new ForestEdit.LogClosed(end));
      return edits;
    } else if (log != null) {
      List<SegmentEnd> ends = new ArrayList<>(endsBefore(log.activeSegment()));
      ends.add(log.activeEnd());
      return editsOfRelease(log.activeSegment() + 1, ends);
    } else if (closed != null && needed == WriteBuffer.NO_SEGMENT) {
      return editsOfRelease(closed.segment() + 1, found);
    }
    return List.of(); // there is no log, or it has not changed
  }

  /**
   * The segments that a recovery needs, oldest first, as far as they have records. Who looks for a
   * segment that is retained looks here first: it is retained before it is released.
   */
  public List<Long> neededSegments() {
    WalWriter log = writer;
    return log == null
        ? found.stream().map(SegmentEnd::segment).toList()
        : Arrays.stream(log.segments()).boxed().toList();
  }

  /** The position in the log before which everything is durable. */
  public SyncedMark synced() {
    WalWriter log = writer;
    if (log != null) {
      return log.synced();
    }
    WalEnd closed = closedBefore;
    return closed == null
        ? new SyncedMark(0, 0)
        : new SyncedMark(closed.segment(), closed.offset());
  }

  /**
   * Makes durable what was logged and is not durable yet.
   *
   * @return whether there was something
   */
  public boolean syncRest() {
    WalWriter log = writer;
    if (log == null || log.isDurable()) {
      return false;
    }
    log.sync();
    return true;
  }

  /** Deletes what the next open does not need; called after the manifest says so. */
  public void deleteUnneeded() {
    WalWriter log = writer;
    Catalog last = catalog.catalog();
    if (log != null && last.logClosed() == null && last.firstSegment() <= log.activeSegment()) {
      return; // it has failed, and SSTs may be lost that have the same writes
    }
    try {
      ReleasedSegments.deleteUnneeded(setup.fileSystem(), setup.directory(), catalog.catalog());
    } catch (SifrException e) {
      LOG.warn("log segments that are not needed stay for now: {}", e.getMessage());
    }
    setup.fileSystem().reached(StateCrashPoint.CLOSE_LOG_DELETED);
  }

  @Override
  public void close() {
    WalWriter log = writer;
    if (log != null) {
      log.close();
    }
  }
}
