package io.sifr.internal.engine.write;

import io.netty.buffer.ByteBuf;
import io.sifr.config.Durability;
import io.sifr.config.WriteOptions;
import io.sifr.error.StoreFailedException;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.engine.write.WriteRoom.Backpressure;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.memtable.MemtableMemory;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Flushes;
import io.sifr.internal.state.LatencyHistogram;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreLog;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.value.ValueWriter.Content;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.Operations;
import io.sifr.internal.wal.WalWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a batch to the log, then to the memtables, then makes it visible, all under one lock: so
 * all writes form one order, the log has no gaps, and a batch is visible as a whole or not at all
 * (I6). One that is not logged and writes to several databases is flushed as a whole, too: their
 * memtables become immutable together. Slow steps happen outside the lock: the sync of {@link
 * Durability#SYNC}, shared by all threads that wait for one, the creation of log segments, and the
 * pauses of {@link Backpressure}. Who holds the lock waits for no file, no sync, and no lock under
 * which others wait for those or plan background work. {@link WriteRoom} makes room first, {@link
 * MemtableRotation} replaces memtables, {@link WriteGate} says whether there may be writes.
 *
 * <p>A write is visible once it is in the memtable; a {@code SYNC} write can be seen by others a
 * moment before it is durable.
 */
public final class WritePath {
  /** Stands for the sequence number of a write that was not made. */
  private static final long REFUSED = -1;

  /** As above: the batch lacks entries of an index that is there by now. */
  private static final long LACKS_ENTRIES = -2;

  private final CompactionPicker policy;
  private final Durability usual;
  private final StoreState state;
  private final WriteOrder order;
  private final StoreLog log;
  private final MemtableMemory memory;
  private final WriteGate gate;
  private final MemtableRotation rotation;
  private final WriteRoom room;
  private final Stalls stalls;
  private final Backpressure backpressure = new Backpressure();
  private final TombstoneLimit tombstones;
  private final Turn turn = new Turn();
  private final LargeValues large;

  /** Null while no database has an index. Written under the order's lock. */
  private volatile @Nullable IndexEntries indexes;

  // All below guarded by the order's lock.
  private BatchBuffer single = new BatchBuffer();
  private final Operations.Reader reader = new Operations.Reader();
  private long lastSegment;

  public WritePath(Setup setup, StoreState state, Flushes flushes) {
    this.policy = setup.extensions().policy();
    this.usual = setup.options().durability();
    this.state = state;
    this.order = state.writes();
    this.log = state.log();
    this.memory = state.databases().memory();
    this.gate = new WriteGate(state);
    this.rotation = new MemtableRotation(setup, state, flushes, gate);
    this.stalls = new Stalls(state.counters(), setup.listener());
    this.room =
        new WriteRoom(
            state,
            flushes,
            gate,
            rotation,
            stalls,
            // Other writers need a batch while the one of the turn has this writer's operation.
            () -> single = new BatchBuffer());
    this.large = new LargeValues(setup, state, gate, room);
    this.tombstones =
        new TombstoneLimit(
            setup.tuning().rangeTombstoneBytes(),
            database -> rotation.flush(List.of(database)),
            flushes);
  }

  /** Decides whether writes are let through. */
  public WriteGate gate() {
    return gate;
  }

  /** Makes active memtables immutable, for flushes. */
  public MemtableRotation rotation() {
    return rotation;
  }

  /** What writes have to do for indexes; null while no database has one. */
  public @Nullable IndexEntries indexes() {
    return indexes;
  }

  /** Has all writes from now on do that; those before are visible when this returns. */
  public void useIndexes(@Nullable IndexEntries entries) {
    order.lock();
    indexes = entries;
    order.unlock();
  }

  private boolean needsLog(BatchBuffer batch) {
    IndexEntries entries = indexes;
    return entries != null && entries.needLog(batch);
  }

  private boolean isIndexed(DatabaseHandle database) {
    IndexEntries entries = indexes;
    return entries != null && entries.areOf(database);
  }

  /** Sets the value of a key. */
  public void put(DatabaseHandle database, byte[] key, byte[] value, WriteOptions options) {
    if (isIndexed(database)) {
      BatchBuffer put = new BatchBuffer();
      put.put(database, key, value, options);
      write(put, options);
      return;
    }
    if (value != null && large.takes(database, value.length, durability(options))) {
      if (!putApart(database, key, value.length, ByteBuffer.wrap(value)::get, options, false)) {
        put(database, key, value, options);
      }
      return;
    }
    long start = LatencyHistogram.begin();
    StallLimit limit = limit(database, options);
    Durability durability = durability(options);
    long last;
    try (Turn turn = takeTurn()) {
      BatchBuffer operation = turn.single();
      operation.put(database, key, value, options);
      last = turn.commit(operation, null, durability, limit);
    }
    if (last == LACKS_ENTRIES) {
      put(database, key, value, options);
      return;
    }
    finish(database, key.length + value.length, last, durability, limit, start);
  }

  /** Sets the value of a key. */
  public void put(DatabaseHandle database, ByteBuf key, ByteBuf value, WriteOptions options) {
    if (isIndexed(database)) {
      BatchBuffer put = new BatchBuffer();
      put.put(database, key, value, options);
      write(put, options);
      return;
    }
    if (value != null && large.takes(database, value.readableBytes(), durability(options))) {
      byte[] copy = new byte[EntryLimits.checkKey(key)];
      key.getBytes(key.readerIndex(), copy);
      ByteBuf content = value.slice();
      if (!putApart(database, copy, content.readableBytes(), content::readBytes, options, false)) {
        put(database, key, value, options);
      }
      return;
    }
    long start = LatencyHistogram.begin();
    StallLimit limit = limit(database, options);
    Durability durability = durability(options);
    long last;
    try (Turn turn = takeTurn()) {
      BatchBuffer operation = turn.single();
      operation.put(database, key, value, options);
      last = turn.commit(operation, null, durability, limit);
    }
    if (last == LACKS_ENTRIES) {
      put(database, key, value, options);
      return;
    }
    finish(database, key.readableBytes() + value.readableBytes(), last, durability, limit, start);
  }

  /**
   * Sets the value of a key to the next bytes of a stream.
   *
   * @throws IOException what the stream throws, or because it ends too early
   */
  public void put(
      DatabaseHandle database, byte[] key, long length, InputStream in, WriteOptions options)
      throws IOException {
    EntryLimits.checkKey(key);
    EntryLimits.checkValueLength(length);
    int bytes = (int) length;
    StreamedValue value = large.of(database, in, bytes, StallLimit.of(options.maxStall()));
    try {
      if (large.takesStream(database, bytes) && !isIndexed(database)) {
        if (!putApart(database, key, bytes, value, options, true)) {
          throw new IllegalStateException(
              "database " + database + " has got an index while a stream was read for it");
        }
      } else {
        put(database, key, value.readAll(), options);
      }
    } catch (StreamedValue.Failure e) {
      throw e.ofStream();
    }
  }

  /**
   * Sets the value of a key, which is written to a value file first.
   *
   * @param isStream whether that may take long, which is not the store's fault
   * @return false if nothing was written, because there is an index by now
   */
  private boolean putApart(
      DatabaseHandle database,
      byte[] key,
      int length,
      Content content,
      WriteOptions options,
      boolean isStream) {
    EntryLimits.checkKey(key);
    EntryLimits.checkValueLength(length);
    long start = LatencyHistogram.begin();
    StallLimit limit = limit(database, options);
    Durability durability = durability(options);
    Duration after = BatchBuffer.expiry(database, options);
    long last;
    try (LargeValues.Written put =
        large.put(database, key, after, length, content, limit, isStream)) {
      if (isStream) {
        start = LatencyHistogram.begin();
        limit = limit(database, options);
      }
      try (Turn turn = takeTurn()) {
        if (isStream) {
          turn.awaitReferences(limit);
        }
        last = turn.commit(put.batch(), null, durability, limit);
      }
    }
    if (last == LACKS_ENTRIES) {
      return false;
    }
    finish(database, key.length + (long) length, last, durability, limit, start);
    return true;
  }

  /** Removes a key. */
  public void delete(DatabaseHandle database, byte[] key, WriteOptions options) {
    long start = LatencyHistogram.begin();
    StallLimit limit = limit(database, options);
    Durability durability = durability(options);
    long last;
    try (Turn turn = takeTurn()) {
      BatchBuffer operation = turn.single();
      operation.delete(database, key);
      last = turn.commit(operation, null, durability, limit);
    }
    finish(database, key.length, last, durability, limit, start);
  }

  /** Removes a key. */
  public void delete(DatabaseHandle database, ByteBuf key, WriteOptions options) {
    long start = LatencyHistogram.begin();
    StallLimit limit = limit(database, options);
    Durability durability = durability(options);
    long last;
    try (Turn turn = takeTurn()) {
      BatchBuffer operation = turn.single();
      operation.delete(database, key);
      last = turn.commit(operation, null, durability, limit);
    }
    finish(database, key.readableBytes(), last, durability, limit, start);
  }

  /** Merges an operand into the value of a key. */
  public void merge(DatabaseHandle database, byte[] key, byte[] operand, WriteOptions options) {
    BatchBuffer batch = new BatchBuffer();
    batch.merge(database, key, operand); // calls the operator, which nobody waits for
    write(batch, options);
  }

  /**
   * Removes all keys of a range.
   *
   * @param from the first key; null: the first of all
   * @param to the key after the last one; null: there is none
   */
  public void deleteRange(
      DatabaseHandle database, byte @Nullable [] from, byte @Nullable [] to, WriteOptions options) {
    BatchBuffer batch = new BatchBuffer();
    batch.deleteRange(database, from, to);
    write(batch, options);
  }

  /** Applies a batch. */
  public void write(BatchBuffer batch, WriteOptions options) {
    var unused = write(batch, null, options, StallLimit.of(options.maxStall()));
  }

  /**
   * Applies a batch, if it may. One without operations is refused or not as any other, and makes
   * durable what was written before, if it shall be durable itself.
   *
   * @param guard null: it may
   * @param limit how long it may still be held back; null: as long as it takes
   * @return whether it was applied
   * @throws io.sifr.error.StallTimeoutException if that does not suffice; nothing is written then
   */
  public boolean write(
      BatchBuffer batch,
      @Nullable WriteGuard guard,
      WriteOptions options,
      @Nullable StallLimit limit) {
    if (batch.databaseCount() > 0 && !batch.database(0).isOf(state.lifecycle())) {
      throw new IllegalArgumentException("the batch is for another store");
    }
    IndexEntries entries = indexes;
    if (entries != null && !batch.hasIndexEntries() && entries.areOf(batch)) {
      return entries.write(batch, guard, options, limit);
    }
    long start = LatencyHistogram.begin();
    Durability durability = durability(options);
    if (limit != null && batch.databaseCount() > 0) {
      checkMayBegin(batch, limit);
    } else if (batch.deletesRanges()) {
      makeRoomForRanges(batch);
    }
    long last =
        large.takesOneOf(batch, durability)
            ? commitApart(batch, guard, durability, limit)
            : commit(batch, guard, durability, limit);
    if (last == REFUSED) {
      return false;
    }
    if (last == LACKS_ENTRIES) {
      return write(batch, guard, options, limit);
    }
    if (batch.operations().count() > 0) {
      finish(furthestBehind(batch), batch.rawBytes(), last, durability, limit, start);
    } else if (durability == Durability.SYNC) {
      sync(); // of what was written before
    }
    return true;
  }

  /** Writes large values to value files first. */
  private long commitApart(
      BatchBuffer batch,
      @Nullable WriteGuard guard,
      Durability durability,
      @Nullable StallLimit limit) {
    try (LargeValues.Written written = large.of(batch, durability, limit)) {
      return commit(written.batch(), guard, durability, limit);
    }
  }

  private long commit(
      BatchBuffer batch,
      @Nullable WriteGuard guard,
      Durability durability,
      @Nullable StallLimit limit) {
    try (Turn turn = takeTurn()) {
      return turn.commit(batch, guard, durability, limit);
    }
  }

  /** What a write with these options survives. */
  Durability durability(WriteOptions options) {
    Durability given = options.durability();
    return given == null ? usual : given;
  }

  /** The limit of a write to one database, which is refused if it could not even begin in time. */
  private @Nullable StallLimit limit(DatabaseHandle database, WriteOptions options) {
    StallLimit limit = StallLimit.of(options.maxStall());
    if (limit != null) {
      checkMayBegin(database, limit);
    }
    return limit;
  }

  /** Refuses a write that would have to wait for longer than its limit before it begins. */
  private void checkMayBegin(DatabaseHandle database, StallLimit limit) {
    state.lifecycle().checkOpen();
    if (backpressure.owedNanos(pressure(database)) > Math.max(0, limit.leftNanos())) {
      throw stalls.refused(limit, database, "has caught up");
    }
  }

  private void checkMayBegin(BatchBuffer batch, StallLimit limit) {
    checkMayBegin(furthestBehind(batch), limit);
    for (int i = 0; batch.deletesRanges() && i < batch.databaseCount(); i++) {
      if (tombstones.isDue(batch.database(i))) {
        throw stalls.refused(limit, batch.database(i), "has room for more range tombstones");
      }
    }
  }

  private void makeRoomForRanges(BatchBuffer batch) {
    for (int i = 0; i < batch.databaseCount(); i++) {
      long begin = System.nanoTime();
      if (tombstones.makeRoom(batch.database(i))) {
        stalls.ended(batch.database(i), System.nanoTime() - begin);
      }
    }
  }

  private Turn takeTurn() {
    order.lock();
    return turn;
  }

  /**
   * A writer's turn: from {@link #takeTurn} to its end it holds the lock. One object is reused by
   * all writers, so that a write allocates none.
   */
  private final class Turn implements AutoCloseable {
    /** An empty batch for a write of a single operation. */
    BatchBuffer single() {
      single.clear();
      return single;
    }

    /** Waits until a write may refer to a value file, if that is within the limit. */
    void awaitReferences(@Nullable StallLimit limit) {
      if (limit == null) {
        order.await(gate::takesReferences);
      } else {
        var unused = order.await(gate::takesReferences, limit.leftNanos());
      }
    }

    /**
     * Performs the write under the lock, and returns up to which sequence number the log has to be
     * durable if the write is {@link Durability#SYNC}; {@link #REFUSED} when it may not happen,
     * {@link #LACKS_ENTRIES} when not so.
     */
    long commit(
        BatchBuffer batch,
        @Nullable WriteGuard guard,
        Durability durability,
        @Nullable StallLimit limit) {
      long segment;
      try {
        segment = write(batch, guard, durability, limit);
      } catch (StoreFailedException e) {
        if (!room.awaitLog(batch, limit)) {
          throw e;
        }
        return commit(batch, guard, durability, limit); // nothing was written
      }
      if (segment == REFUSED || segment == LACKS_ENTRIES) {
        return segment;
      }
      long last = order.visible();
      if (batch.refersToValues()) {
        rotation.limitValues(batch);
      }
      if (segment != WriteBuffer.NO_SEGMENT && segment != lastSegment) {
        lastSegment = segment;
        rotation.limitLog();
      }
      if (memory.isExcessive()) {
        rotation.limitMemory();
      }
      return last;
    }

    /**
     * Returns the log segment of the write, {@link WriteBuffer#NO_SEGMENT}, {@link #REFUSED} or
     * {@link #LACKS_ENTRIES}.
     */
    private long write(
        BatchBuffer batch,
        @Nullable WriteGuard guard,
        Durability durability,
        @Nullable StallLimit limit) {
      gate.checkWritable();
      int count = batch.operations().count();
      boolean isLogged = durability != Durability.NONE || log.isRetained() || needsLog(batch);
      WalWriter writer = count == 0 ? null : room.makeRoom(batch, isLogged, limit);
      if (!isLogged && count > 0 && needsLog(batch)) { // an index came while room was made
        writer = room.makeRoom(batch, true, limit);
      }
      // Only now: while room is made, others may write.
      if (guard != null && !guard.allows()) {
        return REFUSED;
      }
      IndexEntries entries = indexes;
      if (entries != null && !batch.hasIndexEntries() && entries.areOf(batch)) {
        return LACKS_ENTRIES;
      }
      if (count == 0) {
        return WriteBuffer.NO_SEGMENT;
      }
      if (writer == null && batch.databaseCount() > 1) {
        WriteBuffer.flushTogether(activeBuffers(batch));
      }
      long first = order.visible() + 1;
      long segment = logAndApply(batch, first, writer);
      order.show(first + count - 1);
      state.counters().userBytes.add(batch.rawBytes());
      return segment;
    }

    @Override
    public void close() {
      order.unlock();
    }
  }

  /** The slow steps after a write, without the lock. */
  private void finish(
      DatabaseHandle database,
      long bytes,
      long last,
      Durability durability,
      @Nullable StallLimit limit,
      long start) {
    if (durability == Durability.SYNC) {
      awaitDurable(last);
    }
    double pressure = pressure(database);
    long pause =
        limit == null
            ? backpressure.charge(bytes, pressure)
            : backpressure.charge(bytes, pressure, limit.leftNanos());
    if (pause > 0) {
      long paused = Backpressure.pause(pause, () -> pressure(database) <= 0);
      stalls.ended(database, paused);
    }
    state.counters().puts.end(start);
  }

  /** The last sequence number in the log. */
  long logged() {
    WalWriter writer = log.writer();
    return writer == null ? 0 : writer.appendedSequence();
  }

  /** Whether the log is durable up to a sequence number that is in it. */
  boolean isDurable(long last) {
    WalWriter writer = log.writer();
    return writer == null || writer.isDurable(last);
  }

  /** Waits until the log is durable up to a sequence number that is in it. */
  void awaitDurable(long last) {
    WalWriter writer = log.writer();
    if (writer == null) {
      return;
    }
    try {
      writer.awaitDurable(last);
    } catch (StoreFailedException e) {
      if (!room.awaitLog()) { // before which it is flushed
        throw e;
      }
    }
  }

  /** Makes all writes durable that were made before. */
  public void sync() {
    try {
      log.sync();
    } catch (StoreFailedException e) {
      if (!room.awaitLog()) {
        throw e;
      }
    }
  }

  /** Of the databases a batch writes to, the one with the largest backlog of background work. */
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
    return backpressure.pressure(rotation.fill(database), database.debt(policy));
  }

  /** Returns the log segment of the batch, or {@link WriteBuffer#NO_SEGMENT}. */
  private long logAndApply(BatchBuffer batch, long firstSequence, @Nullable WalWriter writer) {
    try {
      long segment = WriteBuffer.NO_SEGMENT;
      if (writer != null) {
        long before = writer.bytesAppended();
        Operations.Writer operations = batch.operations();
        segment =
            writer.append(
                firstSequence, operations.count(), operations.array(), 0, operations.length());
        state.counters().walBytes.add(writer.bytesAppended() - before);
      }
      apply(batch, firstSequence, segment);
      return segment;
    } catch (InternalError e) {
      // A store into the mapped log has failed; the JVM may raise the error some moments later.
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
      boolean deletesRanges = false;
      reader.reset(batch.operations().array(), 0, batch.operations().length());
      while (reader.next()) {
        WriteBuffer active = batch.databaseWithId(reader.databaseId()).view().get().active();
        active.loggedIn(segment);
        if (reader.kind() == SeparatedKind.CODE) {
          hold(active);
        }
        if (reader.isRangeDelete()) {
          active.memtable().deleteRange(reader.rangeFrom(), reader.rangeTo(), sequence++);
          deletesRanges = true;
        } else {
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
      }
      if (deletesRanges) {
        showRangeDeletes(batch);
      }
    } catch (RuntimeException | Error e) {
      // The batch is in the log, but only partly in memory: memory and log must not diverge
      // further.
      state.failure().note(e);
      throw e;
    }
  }

  /** Has a write buffer hold the file of the value to which the reader's operation refers. */
  private void hold(WriteBuffer active) {
    Reference reference = reader.reference();
    active.refersTo(reference.file(), reference.valueBytes(), state.databases().values().files());
  }

  private static List<WriteBuffer> activeBuffers(BatchBuffer batch) {
    List<WriteBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < batch.databaseCount(); i++) {
      buffers.add(batch.database(i).view().get().active());
    }
    return buffers;
  }

  private static void showRangeDeletes(BatchBuffer batch) {
    for (int i = 0; i < batch.databaseCount(); i++) {
      batch.database(i).view().get().active().memtable().showRangeDeletes();
    }
  }
}
