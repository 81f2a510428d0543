package io.sifr.internal.view;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.memtable.Memtable;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The writer switches to another memtable while others use or change the view. */
public class ViewSwitchRace {
  private static final byte[] KEY = {1};
  private static final Forest BEFORE = Forest.empty(1, "default");
  private static final Forest BEHIND = Forest.empty(1, "default");

  /** A key with its first version in a full memtable, about to be written again. */
  private static final class Place {
    private final WriteBuffer fresh = new WriteBuffer(new Memtable(256));
    private final StoreView.Holder views;
    private volatile long visible = 1;

    private Place() {
      WriteBuffer full = new WriteBuffer(new Memtable(256));
      write(full, 1);
      views = new StoreView.Holder(new StoreView(full, List.of(), BEFORE));
    }

    private static void write(WriteBuffer buffer, long sequence) {
      buffer.memtable().add(Trailer.of(sequence, EntryKind.PUT), KEY, 0, 1, KEY, 0, 1);
    }

    void write() {
      views.update(view -> view.rotated(fresh));
      write(views.get().active(), 2);
      visible = 2;
    }
  }

  /** A get at a snapshot finds the version that the snapshot was taken at. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "before the write")
  @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "after the write")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the version was missed")
  @State
  public static class WithReader {
    private final Place place = new Place();

    /** A write that finds its memtable full. */
    @Actor
    public void writer() {
      place.write();
    }

    /** A get at a snapshot. */
    @Actor
    public void reader(II_Result result) {
      long limit = place.visible;
      StoreView view = place.views.get();
      Lookup found = new Lookup();
      boolean isFound = view.active().memtable().get(KEY, 0, 1, limit, found);
      for (int i = 0; i < view.immutables().size() && !isFound; i++) {
        isFound = view.immutables().get(i).memtable().get(KEY, 0, 1, limit, found);
      }
      result.r1 = (int) limit;
      result.r2 = isFound ? (int) Trailer.sequence(found.trailer()) : 0;
    }
  }

  /** A merge publishes its forest: neither change of the view is lost. */
  @JCStressTest
  @Outcome(id = "3", expect = Expect.ACCEPTABLE, desc = "both changes")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a change was lost")
  @State
  public static class WithMerge {
    private final Place place = new Place();

    /** A write that finds its memtable full. */
    @Actor
    public void writer() {
      place.write();
    }

    /** A commit of a merge. */
    @Actor
    public void merger() {
      place.views.update(view -> view.withForest(BEHIND));
    }

    /** When all is over: 1 for the writer's change, 2 for the merge's. */
    @Arbiter
    public void end(I_Result result) {
      StoreView view = place.views.get();
      result.r1 = (view.active() == place.fresh ? 1 : 0) + (view.forest() == BEHIND ? 2 : 0);
    }
  }
}
