package io.sifr.internal.engine;

import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.entry.Lookup;
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
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A memtable is replaced, and a key written to its successor, while somebody begins to follow the
 * writes: the write is in what is checked, or later (I9).
 */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the write was noticed")
@Outcome(expect = Expect.FORBIDDEN, desc = "it was missed")
@State
public class FollowRace {
  private static final byte[] KEY = {1};
  private static final byte[] OTHER = {2};

  private static final Path DIRECTORY = Path.of("/store");
  private static final Setup SETUP =
      new Setup(
          CrashDisk.with(DIRECTORY).fileSystem(),
          DIRECTORY,
          StoreOptions.DEFAULT,
          Extensions.of(StoreOptions.DEFAULT),
          StoreListener.NONE);

  /** Whose database it is; nothing is written to its own. */
  private static final StoreEngine STORE =
      Opening.open(SETUP.fileSystem(), DIRECTORY, SETUP.options(), SETUP.listener());

  private final DatabaseHandle database =
      new DatabaseHandle(
          STORE.state().lifecycle(),
          1,
          "some",
          new ViewHolder(new StoreView(buffer(), List.of(), Forest.empty(1, "some"))));
  private final WriteBuffer fresh = buffer();
  private final WriteOrder order = new WriteOrder(0);
  private final WritePath writes = new WritePath(SETUP, state(order), new NoFlushes());
  private @Nullable LaterWrites later;

  /** The memtable holds something. */
  public FollowRace() {
    writes.put(database, OTHER, OTHER, Durability.NONE);
  }

  private static WriteBuffer buffer() {
    return new WriteBuffer(new Memtable(8192));
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

  /** A writer that replaces the memtable, as {@code WritePath} does when it is full. */
  @Actor
  public void writer() {
    order.lock();
    WriteBuffer before = database.view().get().active();
    database.view().update(view -> view.rotated(fresh));
    database.view().replaced(before, fresh);
    order.unlock();
    writes.put(database, KEY, KEY, Durability.NONE);
  }

  /** Who is about to check something. */
  @Actor
  public void follower() {
    later = LaterWrites.after(database, false, order::visible);
  }

  /** What the check would see, and what it is told afterwards. */
  @Arbiter
  public void result(I_Result result) {
    LaterWrites followed = later;
    if (followed == null) {
      throw new IllegalStateException("nobody follows");
    }
    boolean isSeen =
        followed
            .view()
            .active()
            .memtable()
            .get(KEY, 0, KEY.length, followed.visible(), new Lookup());
    result.r1 = isSeen || followed.changed(KEY) ? 1 : 0;
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
