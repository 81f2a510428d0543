package io.sifr.internal.engine.write;

import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.memtable.MemtableMemory;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Flushes;
import io.sifr.internal.state.StoreLog;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.util.OwedTime;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.WalWriter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
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
   * Waits until a log is replaced that has failed in another directory than the store's, if that is
   * going to happen: not if what is in memory cannot be flushed.
   *
   * @return whether there is a log that has not failed, and all is durable that was visible before
   * @throws io.sifr.error.StallTimeoutException if the limit is over before that
   */
  boolean awaitLog(BatchBuffer batch, @Nullable StallLimit limit) {
    if (batch.databaseCount() == 0) {
      order.await(this::isLogDecided);
    } else if (!isLogDecided()) {
      await(batch.database(0), limit, "has another log", this::isLogDecided);
    }
    return isLogSound();
  }

  /** As above, without a batch, for what has to be durable. The caller does not hold the lock. */
  boolean awaitLog() {
    order.lock();
    try {
      order.await(this::isLogDecided);
      return isLogSound();
    } finally {
      order.unlock();
    }
  }

  private boolean isLogDecided() {
    return gate.isClosed() || !log.isBeingReplaced() || !canFlush();
  }

  private boolean isLogSound() {
    return log.isSound() && !state.failure().isNoted();
  }

  private boolean canFlush() {
    try {
      flushes.checkCanFlush();
      return true;
    } catch (SifrException e) {
      return false;
    }
  }

  /**
   * Does what needs space on the disk. If there is none, files are deleted that are only kept for
   * reads in progress, and everything is flushed, which gives log back: once for each segment that
   * is filled, because what was written since then is in that segment, which is kept, and the SSTs
   * of many small flushes would take the space for compactions.
   */
  void onDisk(Runnable action, @Nullable StallLimit limit) {
    try {
      action.run();
    } catch (StoreFullException e) {
      if (limit != null) {
        throw e; // it may not wait for that
      }
      flushes.reclaimForSpace();
      long segment = activeSegment();
      if (segment != flushedInVain) {
        flushes.checkCanFlush(); // not again and again if there is no space for it
        rotation.flush(state.databases().all());
      }
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

  /**
   * Slows writers early and slightly, so that they need not be stopped for long later. The delay
   * per written byte grows with the backlog of the background work: none up to a normal backlog,
   * then quadratic in the excess.
   *
   * <p>Backlog is what waits in memory, as a share of the write buffers and of the memory allowed,
   * and what waits in the forest, as the debt that the compaction policy reports. At the limit of
   * memory writers are stopped; a forest has no limit, so for it the delay keeps growing, for disks
   * so slow that a long delay does not suffice. Delay is accumulated until it is worth a sleep.
   *
   * <p>Writers with a limit for how long they are held back do not pause for longer. What they owe
   * beyond that passes with the time in which they do not write.
   *
   * <p>Thread-safe: writers charge themselves after they have released the write lock.
   */
  static final class Backpressure {
    /** 2 MB/s: slow enough for most disks to catch up. */
    static final double NANOS_PER_BYTE = 500;

    /** 30 KB/s: slow enough for any disk, fast enough not to look like a stop. */
    static final double MAX_PRESSURE = 8;

    /** Shorter sleeps cost more in waking than they delay. */
    private static final long SMALLEST_PAUSE_NANOS = 500_000;

    /** No pause is longer. */
    private static final long LONGEST_PAUSE_NANOS = 10_000_000;

    /**
     * Of so many writes alike at most one pauses when they are slowed a little, so that 999 of 1000
     * are as fast as without a backlog.
     */
    private static final int WRITES_A_RARE_PAUSE = 2048;

    /**
     * Of so many writes alike at most one pauses when such pauses would be too long, so that 99 of
     * 100 are fast, and waking takes little from the compactions that are waited for.
     */
    private static final int WRITES_A_PAUSE = 256;

    /**
     * After so long a writer that pauses looks whether it still has to: compactions and flushes
     * without anything left to do would wait for it.
     */
    private static final long LOOK_NANOS = 2_000_000;

    /** Delay owed by the writers. */
    private final AtomicLong owedNanos = new AtomicLong();

    /** Delay owed by the writers with a limit. */
    private final OwedTime owedWithLimit;

    Backpressure() {
      this(System::nanoTime);
    }

    Backpressure(LongSupplier nanoTime) {
      this.owedWithLimit = new OwedTime(nanoTime);
    }

    /**
     * The backlog of a database: 0 (none), 1 (as much as there ever should be), more, up to {@value
     * #MAX_PRESSURE}.
     *
     * @param inMemory which share is taken of what may wait in memory; up to a half is normal
     * @param debt that of the compactions, on the scale of the result but without its limits
     */
    double pressure(double inMemory, double debt) {
      double memory = Math.min(1, 2 * inMemory - 1);
      return Math.max(0, Math.max(memory, Math.min(MAX_PRESSURE, debt)));
    }

    /**
     * Charges a write.
     *
     * @return nanoseconds for which the writer has to pause; usually 0
     */
    long charge(long bytes, double pressure) {
      if (pressure <= 0) {
        if (owedNanos.get()
            != 0) { // usually it is 0, and then all writers can keep it in their caches
          owedNanos.set(0);
        }
        return 0;
      }
      long charged = (long) (bytes * pressure * pressure * NANOS_PER_BYTE);
      return owedNanos.addAndGet(charged) < worthAPause(charged) ? 0 : owedNanos.getAndSet(0);
    }

    /** The delay at which a write pauses that was charged so much of it. */
    private static long worthAPause(long charged) {
      long rare = WRITES_A_RARE_PAUSE * charged;
      long pause =
          rare <= LONGEST_PAUSE_NANOS
              ? rare
              : Math.min(WRITES_A_PAUSE * charged, LONGEST_PAUSE_NANOS);
      return Math.max(SMALLEST_PAUSE_NANOS, pause);
    }

    /** How long a writer with a limit has to wait before it may write; usually 0 or less. */
    long owedNanos(double pressure) {
      if (pressure <= 0) {
        owedWithLimit.forgive();
      }
      return owedWithLimit.leftNanos();
    }

    /**
     * Charges a write with a limit.
     *
     * @param mostNanos how long the writer may be held back
     * @return nanoseconds for which it has to pause; usually 0
     */
    long charge(long bytes, double pressure, long mostNanos) {
      if (pressure > 0) {
        owedWithLimit.add(bytes * pressure * pressure * NANOS_PER_BYTE);
      }
      long pause = Math.min(owedNanos(pressure), mostNanos);
      return pause < SMALLEST_PAUSE_NANOS ? 0 : pause;
    }

    /**
     * Waits that long, or until the backlog is gone, even if the thread is interrupted, and
     * preserves its interrupt status.
     *
     * @param isOver whether it is gone; asked from time to time
     * @return nanoseconds that it took
     */
    static long pause(long nanos, BooleanSupplier isOver) {
      long start = System.nanoTime();
      long passed = 0;
      boolean interrupted = false;
      while (passed < nanos && !isOver.getAsBoolean()) {
        LockSupport.parkNanos(Math.min(nanos - passed, LOOK_NANOS));
        interrupted |= Thread.interrupted();
        passed = System.nanoTime() - start;
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      return passed;
    }
  }
}
