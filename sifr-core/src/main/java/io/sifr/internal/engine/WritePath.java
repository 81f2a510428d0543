package io.sifr.internal.engine;

import io.netty.buffer.ByteBuf;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Failure;
import io.sifr.internal.state.Flushes;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreLog;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.OperationReader;
import io.sifr.internal.wal.WalWriter;
import org.jspecify.annotations.Nullable;

/**
 * Puts a batch into the log, then into the memtables, then makes it visible, all under one lock: so
 * all writes form one order, the log has no gaps, and a batch is visible wholly or not at all (I6).
 * What takes long happens outside the lock: the sync of {@link Durability#SYNC}, shared by all who
 * wait for one, and the pauses of {@link Backpressure}.
 *
 * <p>A write is visible once it is in the memtable; a {@code SYNC} write can be seen by others a
 * moment before it is durable.
 */
final class WritePath {
  private final Setup setup;
  private final StoreState state;
  private final Flushes flushes;
  private final WriteOrder order;
  private final StoreLog log;
  private final Backpressure backpressure;
  private final Turn turn = new Turn();

  // These guarded by the order's lock.
  private BatchBuffer single = new BatchBuffer();
  private final OperationReader reader = new OperationReader();
  private long lastSegment;
  private boolean closed;

  WritePath(Setup setup, StoreState state, Flushes flushes) {
    this.setup = setup;
    this.state = state;
    this.flushes = flushes;
    this.order = state.writes();
    this.log = state.log();
    StoreOptions options = setup.options();
    this.backpressure = new Backpressure(options.maxImmutableMemtables());
  }

  void put(DatabaseHandle database, byte[] key, byte[] value, Durability durability) {
    long last;
    try (Turn turn = takeTurn()) {
      BatchBuffer operation = turn.single();
      operation.put(database, key, value);
      last = turn.commit(operation, durability);
    }
    finish(database, key.length + value.length, last, durability);
  }

  void put(DatabaseHandle database, ByteBuf key, ByteBuf value, Durability durability) {
    long last;
    try (Turn turn = takeTurn()) {
      BatchBuffer operation = turn.single();
      operation.put(database, key, value);
      last = turn.commit(operation, durability);
    }
    finish(database, key.readableBytes() + value.readableBytes(), last, durability);
  }

  void delete(DatabaseHandle database, byte[] key, Durability durability) {
    long last;
    try (Turn turn = takeTurn()) {
      BatchBuffer operation = turn.single();
      operation.delete(database, key);
      last = turn.commit(operation, durability);
    }
    finish(database, key.length, last, durability);
  }

  void delete(DatabaseHandle database, ByteBuf key, Durability durability) {
    long last;
    try (Turn turn = takeTurn()) {
      BatchBuffer operation = turn.single();
      operation.delete(database, key);
      last = turn.commit(operation, durability);
    }
    finish(database, key.readableBytes(), last, durability);
  }

  void write(BatchBuffer batch, Durability durability) {
    long last;
    try (Turn turn = takeTurn()) {
      last = turn.commit(batch, durability);
    }
    if (batch.count() > 0) {
      finish(furthestBehind(batch), batch.rawBytes(), last, durability);
    }
  }

  private Turn takeTurn() {
    order.lock();
    return turn;
  }

  /**
   * A writer's turn: from {@link #takeTurn} to its end it has the lock. One object goes from writer
   * to writer, so that a write makes none.
   */
  private final class Turn implements AutoCloseable {
    /** An empty batch for the one operation of a write that is none. */
    BatchBuffer single() {
      single.clear();
      return single;
    }

    /**
     * Does what must happen under the lock, and returns up to which sequence number the log has to
     * be durable when the write is {@link Durability#SYNC}.
     */
    long commit(BatchBuffer batch, Durability durability) {
      checkWritable();
      if (batch.count() == 0) {
        return order.visible();
      }
      makeRoom(batch);
      long first = order.visible() + 1;
      long last = first + batch.count() - 1;
      long segment = logAndApply(batch, first, durability == Durability.NONE ? null : log.open());
      order.show(last);
      state.counters().userBytes.add(batch.rawBytes());
      if (segment != WriteBuffer.NO_SEGMENT && segment != lastSegment) {
        lastSegment = segment;
        limitLog();
      }
      return last;
    }

    @Override
    public void close() {
      order.unlock();
    }
  }

  /** Does what takes long, without the lock. */
  private void finish(DatabaseHandle database, long bytes, long last, Durability durability) {
    WalWriter writer = log.writer();
    if (durability == Durability.SYNC && writer != null) {
      writer.awaitDurable(last);
    }
    long pause = backpressure.charge(bytes, pressure(database));
    if (pause > 0) {
      Backpressure.pause(pause);
      stalled(database, pause);
    }
  }

  /** Of the databases a batch writes to, the one whose background work is furthest behind. */
  private DatabaseHandle furthestBehind(BatchBuffer batch) {
    DatabaseHandle furthest = batch.database(0);
    for (int i = 1; i < batch.databaseCount(); i++) {
      if (pressure(batch.database(i)) > pressure(furthest)) {
        furthest = batch.database(i);
      }
    }
    return furthest;
  }

  private double pressure(DatabaseHandle database) {
    int immutables = database.view().get().immutables().size();
    return backpressure.pressure(immutables, database.debt(setup.extensions().policy()));
  }

  /**
   * A poisoned log refuses writes that would not go to it as well. It is no {@link Failure}: that
   * would end the flushes too, and what was acknowledged and is in memory is safe only once it is
   * in an SST, because the system may drop pages of the log it could not write.
   */
  private void checkWritable() {
    if (closed) {
      throw Lifecycle.closedException();
    }
    state.failure().check();
    WalWriter writer = log.writer();
    if (writer != null) {
      writer.checkSound();
    }
  }

  /** Returns the log segment of the batch, or {@link WriteBuffer#NO_SEGMENT}. */
  private long logAndApply(BatchBuffer batch, long firstSequence, @Nullable WalWriter writer) {
    try {
      long segment = WriteBuffer.NO_SEGMENT;
      if (writer != null) {
        long before = writer.bytesAppended();
        segment = writer.append(firstSequence, batch.count(), batch.array(), 0, batch.length());
        state.counters().walBytes.add(writer.bytesAppended() - before);
      }
      apply(batch, firstSequence, segment);
      return segment;
    } catch (InternalError e) {
      // A store into the mapped log that failed; the JVM may raise it some moments later.
      state.failure().note(e);
      if (writer == null) {
        throw e;
      }
      throw writer.poison(e);
    }
  }

  private void apply(BatchBuffer batch, long firstSequence, long segment) {
    try {
      long sequence = firstSequence;
      reader.reset(batch.array(), 0, batch.length());
      while (reader.next()) {
        WriteBuffer active = batch.databaseWithId(reader.databaseId()).view().get().active();
        active.loggedIn(segment);
        active
            .memtable()
            .add(
                Trailer.of(sequence++, reader.kind()),
                reader.array(),
                reader.keyOffset(),
                reader.keyLength(),
                reader.array(),
                reader.valueOffset(),
                reader.valueLength());
      }
    } catch (RuntimeException | Error e) {
      // The batch is in the log, but not wholly in memory: memory and log must not go on apart.
      state.failure().note(e);
      throw e;
    }
  }

  /**
   * Sees to it that the batch fits into the active memtables of all its databases. To wait for a
   * flush lets other writers in, who may fill a memtable that had room: so it begins anew then.
   */
  private void makeRoom(BatchBuffer batch) {
    int fitting = 0;
    while (fitting < batch.databaseCount()) {
      DatabaseHandle database = batch.database(fitting);
      database.checkNotDropped();
      long needed = batch.footprint(fitting);
      if (database.view().get().active().memtable().hasRoom(needed)) {
        fitting++;
      } else if (hasPlaceForImmutable(database)) {
        rotate(database, needed);
      } else {
        awaitFlush(database);
        fitting = 0;
      }
    }
  }

  private boolean hasPlaceForImmutable(DatabaseHandle database) {
    return database.view().get().immutables().size() < setup.options().maxImmutableMemtables();
  }

  /**
   * Whether there is room for another immutable write buffer.
   *
   * @throws io.sifr.error.SifrException when there never will be
   */
  private boolean mayRotate(DatabaseHandle database) {
    checkWritable();
    database.checkNotDropped();
    if (hasPlaceForImmutable(database)) {
      return true;
    }
    flushes.checkCanFlush();
    return false;
  }

  private void awaitFlush(DatabaseHandle database) {
    long start = System.nanoTime();
    // It may hold the operation of this writer; the others need one of their own meanwhile.
    single = new BatchBuffer();
    order.await(() -> mayRotate(database));
    stalled(database, System.nanoTime() - start);
  }

  private void stalled(DatabaseHandle database, long nanos) {
    state.counters().stallNanos.add(nanos);
    StallJfrEvent event = new StallJfrEvent();
    if (event.isEnabled()) {
      event.database = database.name();
      event.nanos = nanos;
      event.commit();
    }
    setup.listener().stalled(new StoreListener.StallEvent(database.name(), nanos));
  }

  /** Lets a fresh memtable with at least that much room take the writes. */
  private void rotate(DatabaseHandle database, long needed) {
    long capacity = Math.max(setup.options().writeBufferBytes(), needed);
    WriteBuffer fresh = new WriteBuffer(new Memtable(capacity));
    if (database.view().get().active().memtable().isEmpty()) {
      database.view().update(view -> new StoreView(fresh, view.immutables(), view.forest()));
    } else {
      database.view().update(view -> view.rotated(fresh));
      flushes.wake();
    }
  }

  /**
   * Flushes the database that keeps the oldest log segment alive, when the log has become too long
   * for its sake.
   *
   * <p>A database that is written rarely would otherwise keep every segment since its first write.
   */
  private void limitLog() {
    WalWriter writer = log.writer();
    if (writer == null || writer.segmentBytes() <= setup.options().maxLogBytes()) {
      return;
    }
    DatabaseHandle holder = log.holderOfOldestSegment();
    if (holder != null && holder.view().get().immutables().isEmpty()) {
      rotate(holder, 0);
    }
  }

  /** Flushes what a database has in write buffers, however little, and waits for it. */
  void flush(DatabaseHandle database) {
    rotateForFlush(database);
    flushes.wake();
    flushes.awaitFlushed(database);
  }

  private void rotateForFlush(DatabaseHandle database) {
    order.lock();
    try {
      if (!database.isDropped() && !database.view().get().active().memtable().isEmpty()) {
        // Not after those that wait for space already: they would grow in number with every call.
        flushes.checkCanFlush();
        rotate(database, 0);
      }
    } finally {
      order.unlock();
    }
  }

  /** Marks a database as dropped: no write to it is under way or will be. */
  void drop(DatabaseHandle database) {
    order.lock();
    try {
      database.markDropped();
      order.goOn();
    } finally {
      order.unlock();
    }
  }

  /**
   * Takes no more writes from now on; returns once none is under way. Returns whether it was open.
   */
  boolean stop() {
    order.lock();
    try {
      boolean wasOpen = !closed;
      closed = true;
      order.goOn();
      return wasOpen;
    } finally {
      order.unlock();
    }
  }
}
