package io.sifr.internal.engine;

import io.netty.buffer.ByteBuf;
import io.sifr.config.Durability;
import io.sifr.error.StallTimeoutException;
import io.sifr.error.StoreFullException;
import io.sifr.event.StoreListener;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.memtable.MemtableMemory;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Flushes;
import io.sifr.internal.state.LatencyHistogram;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreLog;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.OperationReader;
import io.sifr.internal.wal.OperationWriter;
import io.sifr.internal.wal.WalWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes a batch to the log, then to the memtables, then makes it visible, all under one lock: so
 * all writes form one order, the log has no gaps, and a batch is visible as a whole or not at all
 * (I6). One that is not logged and writes to several databases is flushed as a whole, too: their
 * memtables become immutable together. Slow steps happen outside the lock: the sync of {@link
 * Durability#SYNC}, shared by all threads that wait for one, the creation of log segments, and the
 * pauses of {@link Backpressure}. Who holds the lock waits for no file, no sync, and no lock under
 * which others wait for those or plan background work.
 *
 * <p>A write is visible once it is in the memtable; a {@code SYNC} write can be seen by others a
 * moment before it is durable.
 */
public final class WritePath {
  /**
   * After so many segments that others have filled before it got the lock again, a writer has the
   * log create one under the lock.
   */
  private static final int MOST_ATTEMPTS = 4;

  /** Stands for the sequence number of a write that was not made. */
  private static final long REFUSED = -1;

  private final Setup setup;
  private final StoreState state;
  private final Flushes flushes;
  private final WriteOrder order;
  private final StoreLog log;
  private final MemtableMemory memory;
  private final int maxImmutables;
  private final Backpressure backpressure = new Backpressure();
  private final TombstoneLimit tombstones;
  private final Turn turn = new Turn();

  /**
   * The active segment of the log when everything was flushed and there was no space for another.
   */
  private volatile long flushedInVain;

  // All below guarded by the order's lock.
  private final HeldWrites held = new HeldWrites();
  private BatchBuffer single = new BatchBuffer();
  private final OperationReader reader = new OperationReader();
  private long lastSegment;
  private boolean closed;

  /** How many wait for a moment at which everything is in the log or in a forest. */
  private int loggingAll;

  WritePath(Setup setup, StoreState state, Flushes flushes) {
    this.setup = setup;
    this.state = state;
    this.flushes = flushes;
    this.order = state.writes();
    this.log = state.log();
    this.memory = state.databases().memory();
    this.maxImmutables = setup.options().maxImmutableMemtables();
    this.tombstones =
        new TombstoneLimit(
            setup.options().maxRangeTombstoneBytes(),
            database -> flush(List.of(database)),
            flushes);
  }

  /** Sets the value of a key. */
  public void put(DatabaseHandle database, byte[] key, byte[] value, Durability durability) {
    long start = LatencyHistogram.begin();
    long last;
    try (Turn turn = takeTurn(durability)) {
      BatchBuffer operation = turn.single();
      operation.put(database, key, value);
      last = turn.commit(operation, durability);
    }
    finish(database, key.length + value.length, last, durability, null, start);
  }

  /** Sets the value of a key. */
  public void put(DatabaseHandle database, ByteBuf key, ByteBuf value, Durability durability) {
    long start = LatencyHistogram.begin();
    long last;
    try (Turn turn = takeTurn(durability)) {
      BatchBuffer operation = turn.single();
      operation.put(database, key, value);
      last = turn.commit(operation, durability);
    }
    finish(database, key.readableBytes() + value.readableBytes(), last, durability, null, start);
  }

  /** Removes a key. */
  public void delete(DatabaseHandle database, byte[] key, Durability durability) {
    long start = LatencyHistogram.begin();
    long last;
    try (Turn turn = takeTurn(durability)) {
      BatchBuffer operation = turn.single();
      operation.delete(database, key);
      last = turn.commit(operation, durability);
    }
    finish(database, key.length, last, durability, null, start);
  }

  /** Removes a key. */
  public void delete(DatabaseHandle database, ByteBuf key, Durability durability) {
    long start = LatencyHistogram.begin();
    long last;
    try (Turn turn = takeTurn(durability)) {
      BatchBuffer operation = turn.single();
      operation.delete(database, key);
      last = turn.commit(operation, durability);
    }
    finish(database, key.readableBytes(), last, durability, null, start);
  }

  /** Merges an operand into the value of a key. */
  public void merge(DatabaseHandle database, byte[] key, byte[] operand, Durability durability) {
    BatchBuffer batch = new BatchBuffer();
    batch.merge(database, key, operand); // calls the operator, which nobody waits for
    write(batch, durability);
  }

  /**
   * Removes all keys of a range.
   *
   * @param from the first key; null: the first of all
   * @param to the key after the last one; null: there is none
   */
  public void deleteRange(
      DatabaseHandle database,
      byte @Nullable [] from,
      byte @Nullable [] to,
      Durability durability) {
    BatchBuffer batch = new BatchBuffer();
    batch.deleteRange(database, from, to);
    write(batch, durability);
  }

  /** Applies a batch. */
  public void write(BatchBuffer batch, Durability durability) {
    write(batch, durability, null);
  }

  /**
   * Applies a batch.
   *
   * @param maxStall how long it may be held back; null: as long as it takes
   * @throws io.sifr.error.StallTimeoutException if that does not suffice; nothing is written then
   */
  public void write(BatchBuffer batch, Durability durability, @Nullable Duration maxStall) {
    var unused = write(batch, null, durability, StallLimit.of(maxStall));
  }

  /** Decides whether a write happens. */
  interface Guard {
    /**
     * Called once, when there is room for the write, under the lock: what it finds is still true
     * when the write becomes visible. It must not wait for anything. When it throws, nothing is
     * written either.
     */
    boolean allows();
  }

  /** Applies a batch, if it may, however long it is held back. */
  boolean write(BatchBuffer batch, @Nullable Guard guard, Durability durability) {
    return write(batch, guard, durability, null);
  }

  /**
   * Applies a batch, if it may. One without operations is refused or not as any other, and makes
   * durable what was written before, if it shall be durable itself.
   *
   * @param guard null: it may
   * @param limit how long it may be held back; null: as long as it takes
   * @return whether it was applied
   */
  boolean write(
      BatchBuffer batch, @Nullable Guard guard, Durability durability, @Nullable StallLimit limit) {
    if (batch.databaseCount() > 0 && !batch.database(0).isOf(state.lifecycle())) {
      throw new IllegalArgumentException("the batch is for another store");
    }
    long start = LatencyHistogram.begin();
    if (limit != null && batch.databaseCount() > 0) {
      checkMayBegin(batch, limit);
    } else if (batch.deletesRanges()) {
      makeRoomForRanges(batch);
    }
    long last;
    try (Turn turn = takeTurn(durability)) {
      last = turn.commit(batch, guard, durability, limit);
    }
    if (last == REFUSED) {
      return false;
    }
    if (batch.operations().count() > 0) {
      finish(furthestBehind(batch), batch.operations().rawBytes(), last, durability, limit, start);
    } else if (durability == Durability.SYNC) {
      log.sync(); // of what was written before
    }
    return true;
  }

  /** Refuses a write that would have to wait for longer than its limit before it begins. */
  private void checkMayBegin(BatchBuffer batch, StallLimit limit) {
    state.lifecycle().checkOpen();
    DatabaseHandle furthest = furthestBehind(batch);
    if (backpressure.owedNanos(pressure(furthest)) > Math.max(0, limit.leftNanos())) {
      throw refused(limit, furthest, "has caught up");
    }
    for (int i = 0; batch.deletesRanges() && i < batch.databaseCount(); i++) {
      if (tombstones.isDue(batch.database(i))) {
        throw refused(limit, batch.database(i), "has room for more range tombstones");
      }
    }
  }

  private StallTimeoutException refused(StallLimit limit, DatabaseHandle database, String awaited) {
    state.counters().refused.increment();
    return limit.exceeded(database, awaited);
  }

  private void makeRoomForRanges(BatchBuffer batch) {
    for (int i = 0; i < batch.databaseCount(); i++) {
      long begin = System.nanoTime();
      if (tombstones.makeRoom(batch.database(i))) {
        stalled(batch.database(i), System.nanoTime() - begin);
      }
    }
  }

  private Turn takeTurn(@Nullable Durability durability) {
    if (durability == null) {
      throw new IllegalArgumentException("durability is null");
    }
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

    /** Performs a write that no guard may refuse. */
    long commit(BatchBuffer batch, Durability durability) {
      return commit(batch, null, durability, null);
    }

    /**
     * Performs the write under the lock, and returns up to which sequence number the log has to be
     * durable if the write is {@link Durability#SYNC}; {@link #REFUSED} when it may not happen.
     */
    long commit(
        BatchBuffer batch,
        @Nullable Guard guard,
        Durability durability,
        @Nullable StallLimit limit) {
      checkWritable();
      int count = batch.operations().count();
      boolean isLogged = durability != Durability.NONE || log.isRetained();
      WalWriter writer = count == 0 ? null : makeRoom(batch, isLogged, limit);
      // Only now: while room is made, others may write.
      if (guard != null && !guard.allows()) {
        return REFUSED;
      }
      if (count == 0) {
        return order.visible();
      }
      if (writer == null && batch.databaseCount() > 1) {
        WriteBuffer.flushTogether(activeBuffers(batch));
      }
      long first = order.visible() + 1;
      long last = first + count - 1;
      long segment = logAndApply(batch, first, writer);
      order.show(last);
      state.counters().userBytes.add(batch.operations().rawBytes());
      if (segment != WriteBuffer.NO_SEGMENT && segment != lastSegment) {
        lastSegment = segment;
        limitLog();
      }
      if (memory.isExcessive()) {
        limitMemory();
      }
      return last;
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
    WalWriter writer = log.writer();
    if (durability == Durability.SYNC && writer != null) {
      writer.awaitDurable(last);
    }
    double pressure = pressure(database);
    long pause =
        limit == null
            ? backpressure.charge(bytes, pressure)
            : backpressure.charge(bytes, pressure, limit.leftNanos());
    if (pause > 0) {
      Backpressure.pause(pause);
      stalled(database, pause);
    }
    state.counters().puts.end(start);
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
    double buffers = database.view().get().immutables().size();
    double inMemory = Math.max(buffers / maxImmutables, memory.fill());
    return backpressure.pressure(inMemory, database.debt(setup.extensions().policy()));
  }

  /**
   * When the log is poisoned, writes that would bypass it are refused, too. This is no {@link
   * FirstFailure}, which would stop flushes as well: acknowledged writes in memory are safe only
   * once they are in an SST, because the system may drop pages of the log that it could not write.
   */
  private void checkWritable() {
    if (closed) {
      throw Lifecycle.closedException();
    }
    state.failure().check();
    log.checkSound();
  }

  /** Returns the log segment of the batch, or {@link WriteBuffer#NO_SEGMENT}. */
  private long logAndApply(BatchBuffer batch, long firstSequence, @Nullable WalWriter writer) {
    try {
      long segment = WriteBuffer.NO_SEGMENT;
      if (writer != null) {
        long before = writer.bytesAppended();
        OperationWriter operations = batch.operations();
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
  private @Nullable WalWriter makeRoom(
      BatchBuffer batch, boolean isLogged, @Nullable StallLimit limit) {
    makeRoomInMemory(batch, isLogged, limit);
    if (!batch.onlyDeletes() && log.lacksRoom()) {
      keepBatch();
      order.outside(() -> onDisk(log::requireRoom, limit));
      checkWritable();
      makeRoomInMemory(batch, isLogged, limit);
    }
    if (!isLogged && loggingAll == 0) {
      return null;
    }
    int length = batch.operations().length();
    for (int attempts = 0; !log.isReadyFor(length) && attempts < MOST_ATTEMPTS; attempts++) {
      keepBatch();
      order.outside(() -> onDisk(() -> log.prepareFor(length, batch.onlyDeletes()), limit));
      checkWritable();
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
      flush(state.databases().all());
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
      if (held.isHeld(batch)) {
        awaitRelease(batch, database, limit);
        fitting = 0;
        continue;
      }
      long needed = batch.footprint(fitting);
      boolean hasRoom = database.view().get().active().memtable().hasRoom(needed);
      boolean mayExceed = isLogged && batch.onlyDeletes() && flushes.lackSpace();
      if (!mayExceed && (memory.isFull() || !(hasRoom || hasPlaceForImmutable(database)))) {
        awaitFlush(database, limit);
        fitting = 0;
      } else if (hasRoom) {
        fitting++;
      } else {
        try {
          long unused = rotate(database, needed);
        } finally {
          flushes.begin();
        }
        fitting = 0; // other databases of the batch may have new memtables as well
      }
    }
  }

  private boolean hasPlaceForImmutable(DatabaseHandle database) {
    return haveAllPlaceForImmutable(flushedWith(database));
  }

  private boolean haveAllPlaceForImmutable(List<DatabaseHandle> together) {
    return together.stream()
        .allMatch(each -> each.view().get().immutables().size() < maxImmutables);
  }

  /** The databases whose active write buffers are flushed in one step with that of one, and it. */
  private List<DatabaseHandle> flushedWith(DatabaseHandle database) {
    return groups(List.of(database)).get(0);
  }

  /**
   * Some databases in their order, each together with those whose active write buffers are flushed
   * in one step with its own. Goes over all databases once.
   */
  private List<List<DatabaseHandle>> groups(List<DatabaseHandle> some) {
    List<List<DatabaseHandle>> groups = new ArrayList<>();
    IdentityHashMap<Set<WriteBuffer>, List<DatabaseHandle>> tied = new IdentityHashMap<>();
    for (DatabaseHandle database : some) {
      Set<WriteBuffer> companions = database.view().get().active().companions();
      if (companions.isEmpty()) {
        groups.add(List.of(database));
      } else if (!tied.containsKey(companions)) { // companions share one set
        List<DatabaseHandle> together = new ArrayList<>();
        tied.put(companions, together);
        groups.add(together);
      }
    }
    if (!tied.isEmpty()) {
      for (DatabaseHandle database : state.databases().all()) {
        List<DatabaseHandle> together = tied.get(database.view().get().active().companions());
        if (together != null) {
          together.add(database);
        }
      }
    }
    return groups;
  }

  /**
   * Whether there is room for another immutable write buffer, and memory.
   *
   * @throws io.sifr.error.SifrException if there never will be
   */
  private boolean mayGoOn(DatabaseHandle database) {
    checkWritable();
    database.checkNotDropped();
    if (hasPlaceForImmutable(database) && !memory.isFull()) {
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
          checkWritable();
          return !held.isHeld(batch);
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
    keepBatch();
    boolean holds = true;
    if (limit == null) {
      order.await(condition);
    } else {
      holds = order.await(condition, limit.leftNanos());
    }
    long nanos = System.nanoTime() - start;
    order.outside(() -> stalled(database, nanos)); // the listener may take its time
    if (limit != null && !holds) {
      throw refused(limit, database, awaited);
    }
  }

  /**
   * Before the lock is released: the batch of the turn may hold this writer's operation; other
   * writers need another one meanwhile.
   */
  private void keepBatch() {
    single = new BatchBuffer();
  }

  private void stalled(DatabaseHandle database, long nanos) {
    state.counters().stalls.increment();
    state.counters().stallNanos.add(nanos);
    StallJfrEvent event = new StallJfrEvent();
    if (event.isEnabled()) {
      event.database = database.name();
      event.nanos = nanos;
      event.commit();
    }
    setup.listener().stalled(new StoreListener.StallEvent(database.name(), nanos));
  }

  /**
   * Switches to a new memtable with at least that much room, and so do the databases that are
   * flushed in one step with this one. The caller begins a flush, once for all databases that it
   * does this to, and also if this fails for one of them.
   *
   * @return bytes of the memtables before
   */
  private long rotate(DatabaseHandle database, long needed) {
    return rotate(flushedWith(database), each -> each == database ? needed : 0);
  }

  /** As above, of databases that are flushed in one step, without more room than usual. */
  private long rotate(List<DatabaseHandle> together) {
    return rotate(together, each -> 0);
  }

  private long rotate(List<DatabaseHandle> together, ToLongFunction<DatabaseHandle> needed) {
    long bytes = together.stream().mapToLong(WritePath::activeBytes).sum();
    try {
      together.forEach(each -> rotateAlone(each, needed.applyAsLong(each)));
    } catch (RuntimeException | Error e) {
      if (together.size() > 1) {
        state.failure().note(e); // those that have switched would wait for the others for ever
      }
      throw e;
    }
    return bytes;
  }

  private void rotateAlone(DatabaseHandle database, long needed) {
    WriteBuffer fresh = state.databases().newBuffer(needed);
    WriteBuffer before = database.view().get().active();
    if (before.memtable().isEmpty()) {
      database.view().update(view -> view.withActive(fresh));
    } else {
      before.full(database.learnedSpans().get());
      database.view().update(view -> view.rotated(fresh));
      before.memtable().awaitFlush();
    }
    database.view().replaced(before, fresh);
  }

  /**
   * Flushes the databases that keep the oldest log segment alive, if the log has become too long
   * because of them.
   *
   * <p>Otherwise a rarely written database would keep every segment since its first write.
   */
  private void limitLog() {
    WalWriter writer = log.writer();
    if (writer != null && writer.segmentBytes() > setup.options().maxLogBytes()) {
      try {
        List<DatabaseHandle> holders =
            log.holdersOfOldestSegment().stream()
                .filter(holder -> holder.view().get().immutables().isEmpty())
                .toList();
        groups(holders).stream().filter(this::haveAllPlaceForImmutable).forEach(this::rotate);
      } finally {
        flushes.begin();
      }
    }
  }

  /** Flushes the largest write buffers, so that there is memory before writers have to wait. */
  private void limitMemory() {
    List<DatabaseHandle> largest =
        state.databases().all().stream()
            .filter(database -> activeBytes(database) > 0)
            .sorted(Comparator.comparingLong(WritePath::activeBytes).reversed())
            .toList();
    long excess = memory.takeExcess();
    try {
      for (List<DatabaseHandle> together : groups(largest)) {
        if (excess > 0 && haveAllPlaceForImmutable(together)) {
          excess -= rotate(together);
        }
      }
    } finally {
      flushes.begin();
    }
  }

  /** Flushes write buffers because other stores need the memory. */
  void shrink() {
    order.lock();
    try {
      if (!closed && !state.failure().isNoted()) {
        limitMemory();
      }
    } finally {
      order.unlock();
    }
  }

  private static long activeBytes(DatabaseHandle database) {
    return database.view().get().active().memtable().allocatedBytes();
  }

  /** Flushes all write buffers of some databases, however little they hold, and waits for it. */
  void flush(Collection<DatabaseHandle> databases) {
    flushes.tryNow();
    try {
      rotateForFlush(databases);
    } finally {
      flushes.begin();
    }
    databases.forEach(flushes::awaitFlushed);
  }

  /**
   * Looks at the store at a moment at which no write is in progress and every one before is in a
   * forest or in the log. Buffers with unlogged writes are flushed first; so that no others take
   * their place, all writes are logged meanwhile, whatever durability they ask for.
   *
   * @param look what is done at that moment, under the write lock: it waits for nothing
   */
  <T> T whenAllIsLogged(Supplier<T> look) {
    order.lock();
    loggingAll++;
    order.unlock();
    try {
      flush(state.databases().all().stream().filter(WritePath::holdsUnlogged).toList());
      order.lock();
      try {
        checkWritable();
        return look.get();
      } finally {
        order.unlock();
      }
    } finally {
      order.lock();
      loggingAll--;
      order.unlock();
    }
  }

  /** Whether something of a database is only in its write buffers. */
  static boolean holdsUnlogged(DatabaseHandle database) {
    StoreView view = database.view().get();
    return view.active().holdsUnlogged()
        || view.immutables().stream().anyMatch(WriteBuffer::holdsUnlogged);
  }

  private void rotateForFlush(Collection<DatabaseHandle> databases) {
    order.lock();
    try {
      List<DatabaseHandle> written =
          databases.stream()
              .filter(database -> !database.isDropped())
              .filter(database -> !database.view().get().active().memtable().isEmpty())
              .toList();
      for (List<DatabaseHandle> together : groups(written)) {
        // Not if others wait for space already: their number would grow with every call.
        flushes.checkCanFlush();
        long unused = rotate(together);
      }
    } finally {
      order.unlock();
    }
  }

  /**
   * Holds writes to some databases until {@link #release}; none is in progress when this returns.
   * One caller at a time: what happens meanwhile counts as a write of its own.
   */
  void hold(Collection<DatabaseHandle> databases) {
    order.lock();
    try {
      checkWritable();
      databases.forEach(DatabaseHandle::checkNotDropped);
      held.hold(databases);
    } finally {
      order.unlock();
    }
  }

  /**
   * Holds all other writes as well; none is in progress when this returns.
   *
   * @return the next sequence number, for what takes the place of a write
   */
  long holdAll() {
    order.lock();
    try {
      held.holdAll();
      return order.visible() + 1;
    } finally {
      order.unlock();
    }
  }

  /**
   * Lets writes go on.
   *
   * @param last the largest sequence number that is used, which becomes visible
   */
  void release(long last) {
    order.lock();
    try {
      order.show(Math.max(order.visible(), last));
      held.databases().forEach(DatabaseHandle::ingested);
      held.release();
      order.goOn();
    } finally {
      order.unlock();
    }
  }

  /** Marks a database as dropped: no write to it is in progress or will begin. */
  void drop(DatabaseHandle database) {
    order.lock();
    try {
      database.markDropped();
      order.goOn();
    } finally {
      order.unlock();
    }
  }

  /** Gives back the memory of a database that was dropped. */
  void release(DatabaseHandle dropped) {
    StoreView view = dropped.view().get();
    view.active().memtable().release();
    view.immutables().forEach(buffer -> buffer.memtable().release());
    order.goOn();
  }

  /** Rejects writes from now on, once none is in progress. Returns whether the store was open. */
  boolean stop() {
    order.lock();
    boolean wasOpen = !closed;
    try {
      closed = true;
      order.goOn();
    } finally {
      order.unlock();
    }
    log.stop();
    return wasOpen;
  }
}
