package io.sifr.internal.engine;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreFullException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.background.WorkParts.TaskEnvironments;
import io.sifr.internal.compaction.merge.FlushTask;
import io.sifr.internal.compaction.merge.TaskEnvironment;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.DeadSpans;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.FileRewrite;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.memtable.MemtableMemory;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.CatalogStore;
import io.sifr.internal.state.RetainedLog;
import io.sifr.internal.state.Setup;
import io.sifr.internal.value.HeldValueFiles;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.Operations;
import io.sifr.internal.wal.RecordVisitor;
import io.sifr.internal.wal.ReferredValues;
import io.sifr.internal.wal.SegmentEnd;
import io.sifr.internal.wal.WalEnd;
import io.sifr.internal.wal.WalReplay;
import io.sifr.internal.wal.WalRewrite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers what is only in the log.
 *
 * <p>After a crash it is flushed to the forests: it is durable in SSTs when {@link #run} returns,
 * so the old log can be deleted, and a second crash finds the same state or a later one.
 *
 * <p>A log that was closed in order according to the manifest is read into write buffers and kept,
 * to be resumed: its end is recorded, so nothing can follow it. A crash finds it again as long as
 * nothing was logged. Before anything is, the manifest records that the log is no longer closed,
 * and from then on it is a log like any other. If it was resumed although the manifest says that it
 * is closed, as in a copy that was made while the store was open, its actual end differs: then it
 * is treated like the log of a crash.
 *
 * <p>If there is no space to flush it, the log of a crash becomes one that was closed where it ends
 * ({@link WalRewrite}), and is read into write buffers, too, as many as it fills.
 */
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  private final Setup setup;
  private final ValueFiles values;
  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final CatalogStore catalog;
  private final TaskEnvironments tasks;
  private final MemtableMemory memory;
  private final Map<Integer, WriteBuffer> memtables = new TreeMap<>();

  /** Those for which there was no space, newest first. */
  private final Map<Integer, List<WriteBuffer>> full = new TreeMap<>();

  private final ReferredValues referred;

  /** Held to the end: what follows in the log may refer to a file that no SST refers to. */
  private final List<HeldValueFiles> flushedValues = new ArrayList<>();

  private final Operations.Reader operations = new Operations.Reader();
  private boolean isLogDurable;

  /** True if there is no space for a flush. */
  private boolean isDiskFull;

  /**
   * @param memory which the memtables share
   */
  Recovery(
      Setup setup,
      ValueFiles values,
      CatalogStore catalog,
      TaskEnvironments tasks,
      MemtableMemory memory) {
    this.setup = setup;
    this.values = values;
    this.fileSystem = setup.fileSystem();
    this.directory = setup.directory();
    this.catalog = catalog;
    this.tasks = tasks;
    this.memory = memory;
    this.referred = new ReferredValues(values, this::isNeeded);
  }

  /**
   * The result of a recovery.
   *
   * @param lastSequence the last sequence number that may have been used
   * @param buffers by database id, write buffers with what is still only in the log, newest first
   * @param kept where the records end of the segments that the buffers were read from
   */
  record Result(
      long lastSequence, Map<Integer, List<WriteBuffer>> buffers, List<SegmentEnd> kept) {}

  /** Replays the log, if there is one. */
  Result run() {
    Result result = replayAll();
    flushedValues.forEach(HeldValueFiles::close);
    return result;
  }

  private Result replayAll() {
    long last = catalog.catalog().nextSequence() - 1;
    WalReplay.Result replayed;
    WalEnd closed = catalog.catalog().logClosed();
    if (closed != null) {
      replayed =
          WalReplay.replay(fileSystem, directory, catalog.catalog().firstSegment(), new Replay());
      replayed.requireReaches(directory, closed);
      last = Math.max(last, replayed.lastSequence());
      if (replayed.endsAt(closed) && !isToMove(replayed.ends())) {
        return new Result(last, buffers(), replayed.ends());
      }
    } else if (isThereNoLog()) {
      return new Result(last, Map.of(), List.of());
    } else {
      replayed = replay();
      last = Math.max(last, replayed.lastSequence());
    }
    boolean isFlushed = flush(List.copyOf(memtables.keySet()));
    long used = last;
    last += WalReplay.SKIPPED_SEQUENCES;
    List<ForestEdit> edits = new ArrayList<>();
    edits.add(new ForestEdit.SequencesReserved(last + 1));
    if (isFlushed) {
      edits.add(new ForestEdit.LogStart(catalog.nextNumber()));
    } else {
      makeValuesDurable();
      fileSystem.syncDirectory(directory);
      WalRewrite.upToEnd(fileSystem, directory, replayed.ends());
      edits.add(
          new ForestEdit.LogClosed(
              new WalEnd(replayed.endSegment(), Math.toIntExact(replayed.endOffset()))));
    }
    List<SegmentEnd> obsolete = isFlushed ? replayed.ends() : List.of();
    edits.addAll(RetainedLog.editsOfRecovery(setup, catalog.catalog(), obsolete, used, last + 1));
    catalog.commit(edits);
    return isFlushed
        ? new Result(last, Map.of(), List.of())
        : new Result(last, buffers(), replayed.ends());
  }

  /**
   * Whether a part of the log lies in a directory in which no more of it is to be: then it is
   * flushed, so that nothing is left there.
   */
  private boolean isToMove(List<SegmentEnd> segments) {
    for (SegmentEnd segment : segments) {
      Path place = fileSystem.placeOf(FileKind.WAL.path(directory, segment.segment()));
      if (!directory.equals(place.getParent())) {
        return directory.equals(fileSystem.placeForLog(directory, 0));
      }
    }
    return false;
  }

  /** Whether there are no segments but those that are only retained. */
  private boolean isThereNoLog() {
    Catalog found = catalog.catalog();
    return FileKind.WAL.numbersIn(fileSystem, directory).stream().allMatch(found::isRetained);
  }

  private Map<Integer, List<WriteBuffer>> buffers() {
    Map<Integer, List<WriteBuffer>> buffers = new HashMap<>();
    memtables.forEach(
        (database, buffer) -> {
          List<WriteBuffer> ofDatabase = new ArrayList<>();
          ofDatabase.add(buffer);
          for (WriteBuffer waiting : full.getOrDefault(database, List.of())) {
            waiting.memtable().awaitFlush();
            ofDatabase.add(waiting);
          }
          ofDatabase.forEach(each -> each.loggedIn(catalog.catalog().firstSegment()));
          buffers.put(database, ofDatabase);
        });
    return buffers;
  }

  /** Replays the segments that are still needed. */
  private WalReplay.Result replay() {
    long needed = catalog.catalog().firstSegment();
    List<Long> present = neededSegments();
    if (present.isEmpty()) {
      return WalReplay.Result.NOTHING;
    }
    makeLogDurable();
    fileSystem.reached(StoreCrashPoint.RECOVERY_LOG_DURABLE);
    WalReplay.Result result = WalReplay.replay(fileSystem, directory, present.get(0), new Replay());
    // A new log is named in the manifest before its first record, so only an empty one may have
    // another number.
    if (result.records() > 0 && present.get(0) != needed) {
      throw new CorruptionException(
          FileKind.WAL.path(directory, needed), 0, "the log segment is missing");
    }
    return result;
  }

  private List<Long> neededSegments() {
    long needed = catalog.catalog().firstSegment();
    return FileKind.WAL.numbersIn(fileSystem, directory).stream()
        .filter(number -> number >= needed)
        .toList();
  }

  /**
   * What a killed process wrote to the log may not be durable yet, while the flushes of the
   * recovery become durable one after the other: if the log were lost in between, a batch could be
   * there in part.
   */
  private void makeLogDurable() {
    if (isLogDurable) {
      return;
    }
    for (long segment : neededSegments()) {
      Path path = FileKind.WAL.path(directory, segment);
      try (RandomWriteFile file = fileSystem.openForWrite(path, 0)) {
        file.sync();
      }
    }
    isLogDurable = true;
  }

  /**
   * The same of values that were put without a sync. They are written again over themselves, see
   * {@link FileRewrite}. What else such a file has of values may not be whole, and is dropped.
   */
  private void makeValuesDurable() {
    for (long number : referred.files()) {
      try {
        if (values.dropUnfinished(number)) {
          referred.unsynced().add(number);
        }
      } catch (CorruptionException | UnreadableException e) {
        LOG.warn("a value file stays as it is; what refers to its values will say so", e);
      }
    }
    referred.files().clear();
    for (long number : referred.unsynced()) {
      Path path = FileKind.VALUES.path(directory, number);
      long size = fileSystem.size(path);
      try (RandomWriteFile file = fileSystem.openForWrite(path, size)) {
        FileRewrite.rewrite(fileSystem, path, file, 0, size, size);
      }
    }
    referred.unsynced().clear();
  }

  /** Adds records to write buffers. */
  private final class Replay implements RecordVisitor {
    @Override
    public void visit(long firstSequence, int count, byte[] array, int offset, int length) {
      replayRecord(firstSequence, count, array, offset, length);
    }

    /**
     * A killed process leaves the values to which a record refers; a power failure may leave the
     * record without them.
     */
    @Override
    public boolean isWhole(
        long firstSequence, byte[] array, int offset, int length, BooleanSupplier isDurable) {
      return referred.areThere(firstSequence, array, offset, length, isDurable);
    }
  }

  /** Whether an operation is in no forest, and its database was not dropped. */
  private boolean isNeeded(int databaseId, long sequence) {
    return catalog
        .catalog()
        .forest(databaseId)
        .filter(forest -> sequence > forest.flushedSequence())
        .isPresent();
  }

  private void replayRecord(
      long firstSequence, int operationCount, byte[] array, int offset, int length) {
    operations.reset(array, offset, length);
    long sequence = firstSequence;
    try {
      while (operations.next()) {
        if (!operations.isRangeDelete()) {
          tasks.kinds().requireLogged(operations.kind(), operations.valueLength());
        }
        replayOperation(sequence++);
      }
      memtables.values().forEach(buffer -> buffer.memtable().showRangeDeletes());
    } catch (IllegalArgumentException e) {
      throw new CorruptionException(
          directory, 0, "log record of sequence " + firstSequence + ": " + e.getMessage());
    }
    if (sequence - firstSequence != operationCount) {
      throw new CorruptionException(
          directory,
          0,
          "log record of sequence "
              + firstSequence
              + " has "
              + (sequence - firstSequence)
              + " operations, it says "
              + operationCount);
    }
  }

  private void replayOperation(long sequence) {
    int databaseId = operations.databaseId();
    if (!isNeeded(databaseId, sequence)) {
      return;
    }
    byte[] from = operations.isRangeDelete() ? operations.rangeFrom() : null;
    long needed =
        from == null
            ? Memtable.footprint(operations.keyLength(), operations.valueLength())
            : Memtable.rangeFootprint(from, operations.rangeTo());
    if (memory.isExcessive() && memory.takeExcess() > 0) {
      var unused = flush(List.copyOf(memtables.keySet()));
    }
    WriteBuffer buffer = memtables.get(databaseId);
    if (buffer != null && !buffer.memtable().hasRoom(needed)) {
      if (!flush(List.of(databaseId))) {
        buffer.memtable().showRangeDeletes();
        full.computeIfAbsent(databaseId, id -> new ArrayList<>()).add(0, buffer);
      }
      buffer = null;
    }
    if (buffer == null) {
      long capacity = Math.max(setup.options().writeBufferBytes(), needed);
      buffer = new WriteBuffer(new Memtable(capacity, memory));
      memtables.put(databaseId, buffer);
    }
    if (from != null) {
      buffer.memtable().deleteRange(from, operations.rangeTo(), sequence);
      return;
    }
    if (operations.kind() == SeparatedKind.CODE) {
      Reference reference = operations.reference();
      buffer.refersTo(reference.file(), reference.valueBytes(), values);
    }
    buffer
        .memtable()
        .add(
            Trailer.of(sequence, operations.kind()),
            operations.array(),
            operations.keyOffset(),
            operations.keyLength(),
            operations.array(),
            operations.valueOffset(),
            operations.valueLength());
  }

  /**
   * Flushes memtables.
   *
   * @return false if there is no space for that: then they stay as they are
   */
  private boolean flush(List<Integer> databaseIds) {
    if (isDiskFull) {
      return false;
    }
    try {
      flushNow(databaseIds);
      return true;
    } catch (StoreFullException e) {
      LOG.warn("the log stays as it is until there is space: {}", e.getMessage());
      isDiskFull = true;
      return false;
    }
  }

  private void flushNow(List<Integer> databaseIds) {
    makeLogDurable();
    if (databaseIds.isEmpty()) {
      return;
    }
    List<Sst> made = new ArrayList<>();
    List<ForestEdit> edits = new ArrayList<>();
    try {
      for (int id : databaseIds) {
        Memtable memtable = buffer(id).memtable();
        memtable.showRangeDeletes();
        Forest forest = catalog.catalog().forest(id).orElseThrow();
        TaskEnvironment environment = tasks.ofFlush(forest);
        List<Sst> ssts =
            new FlushTask(environment, memtable, DeadSpans.NONE, new long[0], forest.byPriority())
                .run();
        made.addAll(ssts);
        edits.addAll(catalog.editsOfFlush(id, memtable, ssts));
      }
      makeValuesDurable();
      fileSystem.syncDirectory(directory);
      // A batch may be cut here; the log still holds all of it, and replay skips operations by
      // their own sequence numbers.
      catalog.commit(edits);
    } catch (StoreFullException e) {
      // Nothing was committed, and the space is needed.
      made.forEach(sst -> sst.discard(fileSystem, directory));
      throw e;
    } catch (RuntimeException | Error e) {
      made.forEach(sst -> sst.markObsolete(() -> {}));
      throw e;
    }
    for (int id : databaseIds) {
      WriteBuffer flushed = buffer(id);
      flushed.memtable().release();
      HeldValueFiles held = flushed.valueFiles();
      if (held != null) {
        flushedValues.add(held);
      }
      memtables.remove(id);
    }
    fileSystem.reached(StoreCrashPoint.RECOVERY_FLUSHED);
  }

  private WriteBuffer buffer(int databaseId) {
    return Objects.requireNonNull(memtables.get(databaseId));
  }
}
