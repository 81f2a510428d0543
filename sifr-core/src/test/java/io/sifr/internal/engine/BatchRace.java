package io.sifr.internal.engine;

import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Flushes;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.ViewHolder;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.CrashDisk;
import java.nio.file.Path;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A batch over two databases is written while both are read at one sequence number (I6). */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "before the batch")
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "after the batch")
@Outcome(expect = Expect.FORBIDDEN, desc = "part of the batch")
@State
public class BatchRace {
  private static final byte[] KEY = {1};
  private static final int OPERATIONS = 32;

  private static final Path DIRECTORY = Path.of("/store");
  private static final Setup SETUP =
      new Setup(
          CrashDisk.with(DIRECTORY).fileSystem(),
          DIRECTORY,
          StoreOptions.DEFAULT,
          Extensions.of(StoreOptions.DEFAULT),
          StoreListener.NONE);

  /** Whose databases they are; nothing is written to its own. */
  private static final StoreEngine STORE = openEngine();

  private final DatabaseHandle first = database(1);
  private final DatabaseHandle second = database(2);
  private final WriteOrder order = new WriteOrder(0);
  private final WritePath writes = new WritePath(SETUP, state(order), new NoFlushes());

  private final BatchBuffer batch = batch();

  /** Both databases hold version 1. */
  public BatchRace() {
    writes.write(batch, Durability.NONE);
  }

  private static StoreEngine openEngine() {
    return Opening.open(SETUP.fileSystem(), DIRECTORY, SETUP.options(), SETUP.listener());
  }

  /** That of the store, but for the order of the writes. */
  private static StoreState state(WriteOrder order) {
    StoreState state = STORE.state();
    return new StoreState(
        state.lifecycle(),
        state.failure(),
        order,
        state.catalog(),
        state.databases(),
        state.log(),
        state.counters());
  }

  private static DatabaseHandle database(int id) {
    StoreView view =
        new StoreView(new WriteBuffer(new Memtable(8192)), List.of(), Forest.empty(id, "some"));
    return new DatabaseHandle(STORE.state().lifecycle(), id, "some", new ViewHolder(view));
  }

  private BatchBuffer batch() {
    BatchBuffer operations = new BatchBuffer();
    for (int i = 0; i < OPERATIONS; i++) {
      operations.put(i == OPERATIONS - 1 ? second : first, KEY, KEY);
    }
    return operations;
  }

  private int read(DatabaseHandle database, long sequence) {
    Lookup found = new Lookup();
    if (!database.view().get().active().memtable().get(KEY, 0, 1, sequence, found)) {
      return 0;
    }
    return Trailer.sequence(found.trailer()) <= OPERATIONS ? 1 : 2;
  }

  /** A writer. */
  @Actor
  public void writer() {
    writes.write(batch, Durability.NONE);
  }

  /** A snapshot, at which both databases are read. */
  @Actor
  public void reader(II_Result result) {
    long sequence = order.visible();
    result.r1 = read(first, sequence);
    result.r2 = read(second, sequence);
  }

  /** There is nothing to flush. */
  private static final class NoFlushes implements Flushes {
    @Override
    public void begin() {}

    @Override
    public void awaitFlushed(DatabaseHandle database) {}

    @Override
    public void compactTombstones(DatabaseHandle database, long mostBytes) {}

    @Override
    public void checkCanFlush() {}
  }
}
