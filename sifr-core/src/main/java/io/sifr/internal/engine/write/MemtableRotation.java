package io.sifr.internal.engine.write;

import io.sifr.internal.memtable.MemtableMemory;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Flushes;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreLog;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.WalWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Makes active memtables immutable, so that they are flushed: those that are full, that keep too
 * much log, that take too much memory, or that somebody wants to be flushed. Those that have to be
 * flushed in one step, since a batch that is not logged wrote to all of them, switch together.
 *
 * <p>Public methods take the lock of the order of writes; callers of the others hold it.
 */
public final class MemtableRotation {
  /**
   * A write buffer is flushed when the values that it refers to take so many times its size: so
   * much may have to be read after a crash, and is not given back before when it is overwritten.
   */
  private static final long VALUES_PER_BUFFER = 4;

  private final Setup setup;
  private final StoreState state;
  private final Flushes flushes;
  private final WriteGate gate;
  private final WriteOrder order;
  private final StoreLog log;
  private final MemtableMemory memory;
  private final int maxImmutables;

  MemtableRotation(Setup setup, StoreState state, Flushes flushes, WriteGate gate) {
    this.setup = setup;
    this.state = state;
    this.flushes = flushes;
    this.gate = gate;
    this.order = state.writes();
    this.log = state.log();
    this.memory = state.databases().memory();
    this.maxImmutables = setup.tuning().immutableMemtables();
  }

  /** Flushes all write buffers of some databases, however little they hold, and waits for it. */
  public void flush(Collection<DatabaseHandle> databases) {
    flushes.tryNow();
    try {
      rotateForFlush(databases);
    } finally {
      flushes.begin();
    }
    databases.forEach(flushes::awaitFlushed);
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
   * Has all write buffers flushed, because the log has failed, and no write is in progress: it
   * neither fails nor waits where others wait for space already.
   *
   * @return false if SSTs take the place of a write just now, or the store is being closed
   */
  public boolean rotateAll() {
    order.lock();
    try {
      if (gate.isClosed() || gate.holdsAny()) {
        return false;
      }
      List<DatabaseHandle> written =
          state.databases().all().stream()
              .filter(database -> !database.isDropped())
              .filter(database -> !database.view().get().active().memtable().isEmpty())
              .toList();
      groups(written).forEach(this::rotate);
      return true;
    } finally {
      order.unlock();
      flushes.begin();
    }
  }

  /**
   * Switches to a new memtable with at least that much room, and so do the databases that are
   * flushed in one step with this one. The caller begins a flush, once for all databases that it
   * does this to, and also if this fails for one of them.
   *
   * @return bytes of the memtables before
   */
  long rotate(DatabaseHandle database, long needed) {
    return rotate(flushedWith(database), each -> each == database ? needed : 0);
  }

  /** As above, of databases that are flushed in one step, without more room than usual. */
  private long rotate(List<DatabaseHandle> together) {
    return rotate(together, each -> 0);
  }

  private long rotate(List<DatabaseHandle> together, ToLongFunction<DatabaseHandle> needed) {
    long bytes = together.stream().mapToLong(MemtableRotation::activeBytes).sum();
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
  void limitLog() {
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
  void limitMemory() {
    List<DatabaseHandle> largest =
        state.databases().all().stream()
            .filter(database -> activeBytes(database) > 0)
            .sorted(Comparator.comparingLong(MemtableRotation::activeBytes).reversed())
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
  public void shrink() {
    order.lock();
    try {
      if (!gate.isClosed() && !state.failure().isNoted()) {
        limitMemory();
      }
    } finally {
      order.unlock();
    }
  }

  private static long activeBytes(DatabaseHandle database) {
    return database.view().get().active().memtable().allocatedBytes();
  }

  /**
   * How full the memory for writes is, 0 to 1: that of a database's waiting memtables, or that of
   * the store, whichever is fuller.
   */
  double fill(DatabaseHandle database) {
    double waiting = database.view().get().immutables().size();
    return Math.max(waiting / maxImmutables, memory.fill());
  }

  boolean hasPlaceForImmutable(DatabaseHandle database) {
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
   * Looks at the store at a moment at which no write is in progress and every one before is in a
   * forest or in the log, values included. Buffers with unlogged writes, or with references to
   * values, are flushed first; so that no others take their place, all writes are logged meanwhile,
   * whatever their durability, with their values.
   *
   * @param look what is done at that moment, under the write lock: it waits for nothing
   */
  public <T> T whenAllIsLogged(Supplier<T> look) {
    gate.beginLoggingAll();
    try {
      while (true) {
        flush(state.databases().all().stream().filter(MemtableRotation::needsMoreThanLog).toList());
        order.lock();
        try {
          gate.checkWritable();
          // A write that has written its value before may have come after the flush.
          if (state.databases().all().stream().noneMatch(MemtableRotation::needsMoreThanLog)) {
            return look.get();
          }
        } finally {
          order.unlock();
        }
      }
    } finally {
      gate.endLoggingAll();
    }
  }

  /** Whether something of a database is neither in its forest nor in the log, but elsewhere. */
  public static boolean needsMoreThanLog(DatabaseHandle database) {
    StoreView view = database.view().get();
    return holdsUnlogged(database)
        || view.active().valueFiles() != null
        || view.immutables().stream().anyMatch(buffer -> buffer.valueFiles() != null);
  }

  /** Flushes databases whose write buffers refer to values of many bytes, if that can begin now. */
  void limitValues(BatchBuffer batch) {
    for (int i = 0; i < batch.databaseCount(); i++) {
      DatabaseHandle database = batch.database(i);
      long most = VALUES_PER_BUFFER * setup.options().writeBufferBytes();
      if (database.view().get().active().valueBytes() > most && hasPlaceForImmutable(database)) {
        try {
          long unused = rotate(database, 0);
        } finally {
          flushes.begin();
        }
      }
    }
  }

  /** Whether something of a database is only in its write buffers. */
  public static boolean holdsUnlogged(DatabaseHandle database) {
    StoreView view = database.view().get();
    return view.active().holdsUnlogged()
        || view.immutables().stream().anyMatch(WriteBuffer::holdsUnlogged);
  }
}
