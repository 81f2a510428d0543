package io.sifr.internal.engine.write;

import io.sifr.error.StoreFullException;
import io.sifr.internal.memtable.MemtableMemory;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Flushes;
import io.sifr.internal.state.StoreLog;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.WalWriter;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes room for a batch before it is written: in the memtables, whose memory is bounded, and in
 * the log. While it waits, the lock of the order of writes is released and others write; so all is
 * checked again after each wait.
 *
 * <p>The caller holds that lock.
 */
final class WriteRoom {
  /**
   * After so many segments that others have filled before it got the lock again, a writer has the
   * log create one under the lock.
   */
  private static final int MOST_ATTEMPTS = 4;

  private final StoreState state;
  private final Flushes flushes;
  private final WriteGate gate;
  private final MemtableRotation rotation;
  private final Stalls stalls;
  private final Runnable releasing;
  private final WriteOrder order;
  private final StoreLog log;
  private final MemtableMemory memory;

  /**
   * The active segment of the log when everything was flushed and there was no space for another.
   */
  private volatile long flushedInVain;

  /**
   * @param releasing called before the lock is released
   */
  WriteRoom(
      StoreState state,
      Flushes flushes,
      WriteGate gate,
      MemtableRotation rotation,
      Stalls stalls,
      Runnable releasing) {
    this.state = state;
    this.flushes = flushes;
    this.gate = gate;
    this.rotation = rotation;
    this.stalls = stalls;
    this.releasing = releasing;
    this.order = state.writes();
    this.log = state.log();
    this.memory = state.databases().memory();
  }

  /**
   * Ensures that there is memory, that the batch fits into the active memtables of all its
   * databases, that the disk has space for their flush, and that the log has a segment for it.
   * Waiting for a flush or for a segment releases the lock, and other writers may fill what had
   * room, so the check is then repeated from the start.
   *
   * @param isLogged whether the batch has to go to the log; it may go there all the same
   * @param limit how long it may wait for memory; null: as long as it takes
   * @return the log; null if the batch does not go there
   */
  @Nullable WalWriter makeRoom(BatchBuffer batch, boolean isLogged, @Nullable StallLimit limit) {
    makeRoomInMemory(batch, isLogged, limit);
    if (!batch.onlyDeletes() && log.space().lacksRoom()) {
      releasing.run();
      order.outside(() -> onDisk(log::requireRoom, limit));
      gate.checkWritable();
      makeRoomInMemory(batch, isLogged, limit);
    }
    if (!isLogged && !gate.logsAll()) {
      return null;
    }
    int length = batch.operations().length();
    for (int attempts = 0; !log.isReadyFor(length) && attempts < MOST_ATTEMPTS; attempts++) {
      releasing.run();
      order.outside(() -> onDisk(() -> log.prepareFor(length, batch.onlyDeletes()), limit));
      gate.checkWritable();
      makeRoomInMemory(batch, isLogged, limit);
    }
    return log.writer();
  }

  /**
   * Does what needs space on the disk. If there is none, everything is flushed, which gives log
   * back: once for each segment that is filled, because what was written since then is in that
   * segment, which is kept, and the SSTs of many small flushes would take the space for merges.
   */
  private void onDisk(Runnable action, @Nullable StallLimit limit) {
    try {
      action.run();
    } catch (StoreFullException e) {
      if (limit != null) {
        throw e; // it may not wait for that
      }
      long segment = activeSegment();
      if (segment == flushedInVain) {
        throw e;
      }
      flushes.checkCanFlush(); // not again and again if there is no space for it
      rotation.flush(state.databases().all());
      try {
        action.run();
      } catch (StoreFullException again) {
        flushedInVain = segment;
        throw again;
      }
    }
  }

  private long activeSegment() {
    WalWriter writer = log.writer();
    return writer == null ? WriteBuffer.NO_SEGMENT : writer.activeSegment();
  }

  /**
   * As {@link #makeRoom}, of memory. Logged deletes that come when there is no space to flush do
   * not wait for it: they may be what makes space, and the log, which is full, bounds them.
   */
  private void makeRoomInMemory(BatchBuffer batch, boolean isLogged, @Nullable StallLimit limit) {
    int fitting = 0;
    while (fitting < batch.databaseCount()) {
      DatabaseHandle database = batch.database(fitting);
      database.checkNotDropped();
      if (gate.isHeld(batch)) {
        awaitRelease(batch, database, limit);
        fitting = 0;
        continue;
      }
      long needed = batch.footprint(fitting);
      boolean hasRoom = database.view().get().active().memtable().hasRoom(needed);
      boolean mayExceed = isLogged && batch.onlyDeletes() && flushes.lackSpace();
      if (!mayExceed
          && (memory.isFull() || !(hasRoom || rotation.hasPlaceForImmutable(database)))) {
        awaitFlush(database, limit);
        fitting = 0;
      } else if (hasRoom) {
        fitting++;
      } else {
        try {
          long unused = rotation.rotate(database, needed);
        } finally {
          flushes.begin();
        }
        fitting = 0; // other databases of the batch may have new memtables as well
      }
    }
  }

  /**
   * Whether there is room for another immutable write buffer, and memory.
   *
   * @throws io.sifr.error.SifrException if there never will be
   */
  private boolean mayGoOn(DatabaseHandle database) {
    gate.checkWritable();
    database.checkNotDropped();
    if (rotation.hasPlaceForImmutable(database) && !memory.isFull()) {
      return true;
    }
    flushes.checkCanFlush();
    return false;
  }

  private void awaitFlush(DatabaseHandle database, @Nullable StallLimit limit) {
    flushes.begin(); // in case nobody could when there was no thread for it
    await(database, limit, "is flushed", () -> mayGoOn(database));
  }

  private void awaitRelease(
      BatchBuffer batch, DatabaseHandle database, @Nullable StallLimit limit) {
    await(
        database,
        limit,
        "takes writes again after an ingest",
        () -> {
          gate.checkWritable();
          return !gate.isHeld(batch);
        });
  }

  /**
   * Releases the lock until a condition holds.
   *
   * @param awaited what the condition says of the database
   */
  private void await(
      DatabaseHandle database,
      @Nullable StallLimit limit,
      String awaited,
      BooleanSupplier condition) {
    long start = System.nanoTime();
    releasing.run();
    boolean holds = true;
    if (limit == null) {
      order.await(condition);
    } else {
      holds = order.await(condition, limit.leftNanos());
    }
    long nanos = System.nanoTime() - start;
    order.outside(() -> stalls.ended(database, nanos)); // the listener may take its time
    if (limit != null && !holds) {
      throw stalls.refused(limit, database, awaited);
    }
  }
}
