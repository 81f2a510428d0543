package io.sifr.internal.state;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.LogEvent;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.forest.Retention;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.util.FirstFailure;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.SegmentEnd;
import io.sifr.internal.wal.SyncedMark;
import io.sifr.internal.wal.WalEnd;
import io.sifr.internal.wal.WalParts;
import io.sifr.internal.wal.WalResources;
import io.sifr.internal.wal.WalWriter;
import java.nio.file.Path;
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
 * logged write; its segments are released as write buffers are flushed; when the store is closed,
 * the manifest records what the next open needs of it.
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

  /** Whether the log is not opened any more; guarded by opening. */
  private boolean stopped;

  /** Set once, before something is logged for the first time. Written under opening. */
  private volatile @Nullable WalWriter writer;

  /** Where the log was closed that the store was opened with; null if there was none. */
  private final ForestEdit.@Nullable LogClosed closedBefore;

  /** Where the records end of the segments of that log, oldest first. */
  private final List<SegmentEnd> found;

  private final RetainedLog retained;

  /** Whether the log is retained, as long as the store is open. */
  private final boolean isRetained;

  /** Held while segments are released or given back, so that none is twice. */
  private final Object givingBack = new Object();

  /** Segments before this one are used by no writer any more; guarded by givingBack. */
  private long releasedBefore;

  private final Object releasing = new Object();

  /** How many holds there are; guarded by releasing. */
  private int holds;

  /** The first segment that is not to be released when the last hold ends; guarded by releasing. */
  private long releasable;

  /** Segments that are retained no more, to be disposed of then; guarded by releasing. */
  private final List<LogHistory.Segment> disposable = new ArrayList<>();

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
    this.releasedBefore = catalog.catalog().firstSegment();
    this.found = found;
    this.retained = new RetainedLog(catalog, setup::now);
    this.isRetained = retained.history() != null;
  }

  /**
   * Edits that make the log retained as the options say, or not any more.
   *
   * @param nextSequence with which its history would begin
   */
  public static List<ForestEdit> editsOfRetention(
      StoreOptions options, Catalog catalog, long nextSequence) {
    Retention chosen = RetainedLog.chosen(options, catalog);
    LogHistory history = catalog.history();
    Retention before = history == null ? Retention.NONE : history.retention();
    return chosen.equals(before)
        ? List.of()
        : List.of(new ForestEdit.LogRetained(chosen, nextSequence));
  }

  /**
   * Edits of a recovery that retain what it has read, and say that it has left out sequence
   * numbers.
   *
   * @param read where the records of the segments end that it has read
   * @param lastUsed the last sequence number that was used for something
   * @param next the next one that will be
   */
  public static List<ForestEdit> editsOfRecovery(
      Setup setup, Catalog catalog, List<SegmentEnd> read, long lastUsed, long next) {
    LogHistory history = catalog.history();
    if (history == null) {
      return List.of();
    }
    List<ForestEdit> edits = RetainedLog.retain(read, history, setup.now());
    edits.add(new ForestEdit.EventRecorded(new LogEvent.Skipped(lastUsed + 1, next)));
    return edits;
  }

  /** Whether the log is retained: then everything is logged or recorded in the manifest. */
  public boolean isRetained() {
    return isRetained;
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
   * {@link #isReadyFor ask} again. Does nothing after {@link #stop}.
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
        if (!makeSpace(bytes)) {
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
    ForestEdit.LogClosed closed = catalog.catalog().logClosed();
    WalWriter log = closed == null ? begin() : resume(closed);
    long first = closed == null ? log.activeSegment() : catalog.catalog().firstSegment();
    try {
      // Before its first record, so that after a crash the manifest says where the log begins, and
      // no longer where it ends.
      catalog.commit(List.of(new ForestEdit.LogStart(first)));
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

  private WalWriter resume(ForestEdit.LogClosed closed) {
    return WalWriter.resume(
        parts(),
        writes.visible(),
        catalog.catalog().firstSegment(),
        new WalEnd(closed.lastSegment(), closed.end()));
  }

  private WalParts parts() {
    return new WalParts(
        setup.fileSystem(),
        setup.directory(),
        this::nextNumber,
        new SecureRandom()::nextLong,
        setup.options().logSegmentBytes(),
        setup.options().logAccess(),
        resources.withRoom(space::forLog));
  }

  /** What is left of the disk. */
  public DiskSpace space() {
    return space;
  }

  /**
   * Gives back what is only kept of the log until there is space for the flush of what is written,
   * besides what is kept for deletes and merges.
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
    List<ForestEdit> edits = new ArrayList<>();
    edits.add(new ForestEdit.LogStart(firstNeeded));
    edits.addAll(editsOfRetained(endsBefore(firstNeeded)));
    return edits;
  }

  /**
   * Edits that retain segments, none of a log that has failed: what is missing of it would look
   * like damage.
   */
  private List<ForestEdit> editsOfRetained(List<SegmentEnd> ends) {
    if (!isRetained) {
      return List.of();
    }
    try {
      sync();
      checkSound();
    } catch (SifrException e) {
      LOG.warn("the log is not retained from here on: {}", e.getMessage());
      return List.of();
    }
    return retained.retain(ends);
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

  /**
   * Releases the segments before that one, which the manifest says are obsolete; those that are
   * {@link #hold held} later.
   */
  public void release(long firstNeeded) {
    synchronized (releasing) {
      releasable = Math.max(releasable, firstNeeded);
      if (holds > 0) {
        return;
      }
    }
    releaseNow(firstNeeded);
    giveBackDue();
  }

  /** Gives back what is not to be retained any longer. */
  public void giveBackDue() {
    synchronized (givingBack) {
      var unused = giveBack(retained.due(), false);
    }
  }

  /**
   * Gives back segments because the disk is full: all that are kept for recycling, and the oldest
   * of those that are only retained.
   *
   * @param bytes how many bytes are wanted
   * @return whether there were any
   */
  public boolean makeSpace(long bytes) {
    WalWriter log = writer;
    long recycled = log == null ? 0 : log.deleteKept();
    synchronized (givingBack) {
      boolean gaveBack = isRetained && giveBack(retained.oldest(bytes - recycled), true);
      return gaveBack || recycled > 0;
    }
  }

  private void delete(LogHistory.Segment segment) {
    setup.fileSystem().delete(FileKind.WAL.path(setup.directory(), segment.number()));
  }

  /**
   * Gives back segments, as far as they are released already: those that the last flush has made
   * obsolete are retained a moment before. None to make space while the log is held, for that would
   * make none. Guarded by givingBack.
   */
  private boolean giveBack(List<LogHistory.Segment> oldest, boolean forSpace) {
    List<LogHistory.Segment> segments =
        oldest.stream().takeWhile(segment -> segment.number() < releasedBefore).toList();
    if (segments.isEmpty() || (forSpace && isHeld())) {
      return false;
    }
    try {
      retained.giveBack(segments);
    } catch (SifrException e) {
      LOG.warn("retained log segments cannot be given back: {}", e.getMessage());
      return false;
    }
    synchronized (releasing) {
      if (holds > 0) { // whoever copies the log may have seen them as needed
        disposable.addAll(segments);
        return true;
      }
    }
    segments.forEach(segment -> dispose(segment, forSpace));
    return true;
  }

  private void dispose(LogHistory.Segment segment, boolean forSpace) {
    WalWriter log = writer;
    try {
      if (log == null || forSpace) {
        delete(segment);
      } else {
        log.giveBack(segment.number(), Math.toIntExact(segment.bytes()));
      }
    } catch (SifrException e) {
      LOG.warn("a log segment is not needed any more but stays for now: {}", e.getMessage());
    }
  }

  private boolean isHeld() {
    synchronized (releasing) {
      return holds > 0;
    }
  }

  /** From now on no segment is released, and so none overwritten, until {@link #endHold}. */
  public void hold() {
    synchronized (releasing) {
      holds++;
    }
  }

  /** Ends a hold; with the last one, what was to be released meanwhile is. */
  public void endHold() {
    long first;
    List<LogHistory.Segment> left;
    synchronized (releasing) {
      holds--;
      if (holds > 0) {
        return;
      }
      first = releasable;
      left = List.copyOf(disposable);
      disposable.clear();
    }
    releaseNow(first);
    left.forEach(segment -> dispose(segment, false));
  }

  private void releaseNow(long firstNeeded) {
    synchronized (givingBack) {
      WalWriter log = writer;
      if (log != null) {
        try {
          log.release(firstNeeded, catalog.catalog()::isRetained);
        } catch (SifrException e) {
          // The segments are released nevertheless, and replay ignores them.
          LOG.warn("a log segment is not needed any more but stays for now: {}", e.getMessage());
        }
      }
      releasedBefore = Math.max(releasedBefore, firstNeeded);
    }
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
    ForestEdit.LogClosed closed = Objects.requireNonNull(closedBefore);
    return new Needed(first, new WalEnd(closed.lastSegment(), closed.end()));
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
    ForestEdit.LogClosed closed = Objects.requireNonNull(last.logClosed());
    return closed.end()
        + FileKind.WAL.numbersIn(setup.fileSystem(), setup.directory()).stream()
            .filter(number -> number >= last.firstSegment() && number < closed.lastSegment())
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
    ForestEdit.LogClosed closed = catalog.catalog().logClosed();
    long needed = firstNeeded();
    if (log != null && needed != WriteBuffer.NO_SEGMENT) {
      WalEnd end = log.end();
      List<ForestEdit> edits = new ArrayList<>(editsOfRelease(needed));
      edits.add(new ForestEdit.LogClosed(end.segment(), end.offset()));
      return edits;
    } else if (log != null) {
      List<SegmentEnd> ends = new ArrayList<>(endsBefore(log.activeSegment()));
      ends.add(log.activeEnd());
      return editsOfEnd(log.activeSegment(), ends);
    } else if (closed != null && needed == WriteBuffer.NO_SEGMENT) {
      return editsOfEnd(closed.lastSegment(), found);
    }
    return List.of(); // there is no log, or it has not changed
  }

  private List<ForestEdit> editsOfEnd(long lastSegment, List<SegmentEnd> ends) {
    List<ForestEdit> edits = new ArrayList<>();
    edits.add(new ForestEdit.LogStart(lastSegment + 1));
    edits.addAll(editsOfRetained(ends));
    return edits;
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
    ForestEdit.LogClosed closed = closedBefore;
    return closed == null
        ? new SyncedMark(0, 0)
        : new SyncedMark(closed.lastSegment(), closed.end());
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
    deleteUnneeded(setup.fileSystem(), setup.directory(), catalog.catalog());
    setup.fileSystem().reached(StateCrashPoint.CLOSE_LOG_DELETED);
  }

  /**
   * Deletes segments that a recovery does not need either, and unfinished ones, for their space;
   * called when it is certain that the manifest is durable.
   */
  public static void deleteObsolete(StoreFileSystem fileSystem, Path directory, Catalog catalog) {
    for (String name : fileSystem.list(directory)) {
      boolean isObsolete =
          FileKind.WAL
              .numberOf(name)
              .map(number -> number < catalog.firstSegment() && !catalog.isRetained(number))
              .orElseGet(() -> WalWriter.isUnfinishedSegment(name));
      if (isObsolete) {
        fileSystem.delete(directory.resolve(name));
      }
    }
  }

  /**
   * Deletes all log segments, including unfinished ones, except those that are retained, and those
   * of a log that was closed in order. Called only when the manifest says that no others are
   * needed.
   */
  public static void deleteUnneeded(StoreFileSystem fileSystem, Path directory, Catalog catalog) {
    ForestEdit.LogClosed closed = catalog.logClosed();
    for (String name : fileSystem.list(directory)) {
      Long number = FileKind.WAL.numberOf(name).orElse(null);
      boolean isNeeded =
          number != null
              && (catalog.isRetained(number)
                  || (closed != null
                      && number >= catalog.firstSegment()
                      && number <= closed.lastSegment()));
      if (!isNeeded && (number != null || WalWriter.isUnfinishedSegment(name))) {
        fileSystem.delete(directory.resolve(name));
      }
    }
  }

  @Override
  public void close() {
    WalWriter log = writer;
    if (log != null) {
      log.close();
    }
  }
}
