package io.sifr.internal.engine;

import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Flushes;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.CrashDisk;
import java.nio.file.Path;
import java.util.List;

/**
 * A store whose databases are in memory alone: what a race needs of one, which is made anew for
 * each of its rounds.
 */
final class RaceStore {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Setup SETUP =
      new Setup(
          CrashDisk.with(DIRECTORY).fileSystem(),
          DIRECTORY,
          StoreOptions.DEFAULT,
          Extensions.of(StoreOptions.DEFAULT),
          StoreListener.NONE);

  /** Whose databases they are; nothing is written to its own. */
  private static final StoreEngine STORE =
      Opening.open(SETUP.fileSystem(), DIRECTORY, SETUP.options(), SETUP.listener());

  private RaceStore() {}

  /** Writes with an order of their own. */
  static WritePath writes(WriteOrder order) {
    StoreState state = STORE.state();
    StoreState ordered =
        new StoreState(
            state.lifecycle(),
            state.failure(),
            order,
            state.catalog(),
            state.databases(),
            state.log(),
            state.counters());
    return new WritePath(SETUP, ordered, new NoFlushes());
  }

  /** A database with nothing in it. */
  static DatabaseHandle database(int id) {
    StoreView view = new StoreView(buffer(), List.of(), Forest.empty(id, "some"));
    return new DatabaseHandle(STORE.state().lifecycle(), id, "some", new StoreView.Holder(view));
  }

  static WriteBuffer buffer() {
    return new WriteBuffer(new Memtable(8192));
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
    public void tryNow() {}

    @Override
    public boolean lackSpace() {
      return false;
    }

    @Override
    public void reclaimForSpace() {}

    @Override
    public void checkCanFlush() {}
  }
}
