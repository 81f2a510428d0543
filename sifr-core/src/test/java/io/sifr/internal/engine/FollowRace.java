package io.sifr.internal.engine;

import io.sifr.config.WriteOptions;
import io.sifr.internal.engine.conditions.LaterWrites;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.view.WriteBuffer;
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
 * writes: the write is in what is checked, or later (I10).
 */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the write was noticed")
@Outcome(expect = Expect.FORBIDDEN, desc = "it was missed")
@State
public class FollowRace {
  private static final byte[] KEY = {1};
  private static final byte[] OTHER = {2};

  private final DatabaseHandle database = RaceStore.database(1);
  private final WriteBuffer fresh = RaceStore.buffer();
  private final WriteOrder order = new WriteOrder(0);
  private final WritePath writes = RaceStore.writes(order);
  private @Nullable LaterWrites later;

  /** The memtable holds something. */
  public FollowRace() {
    writes.put(database, OTHER, OTHER, WriteOptions.UNLOGGED);
  }

  /** A writer that replaces the memtable, as {@code WritePath} does when it is full. */
  @Actor
  public void writer() {
    order.lock();
    WriteBuffer before = database.view().get().active();
    database.view().update(view -> view.rotated(fresh));
    database.view().replaced(before, fresh);
    order.unlock();
    writes.put(database, KEY, KEY, WriteOptions.UNLOGGED);
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
}
