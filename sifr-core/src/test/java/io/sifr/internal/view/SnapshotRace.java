package io.sifr.internal.view;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A snapshot is taken while a version is overwritten and a merge asks which versions it must keep:
 * either the snapshot sees the newer version, or the merge keeps the older one.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the merge keeps what the snapshot sees")
@Outcome(id = "2, [01]", expect = Expect.ACCEPTABLE, desc = "the snapshot sees the newer version")
@Outcome(expect = Expect.FORBIDDEN, desc = "the version that the snapshot sees is merged away")
@State
public class SnapshotRace {
  private volatile long visible = 1;
  private final Snapshots snapshots = new Snapshots(() -> visible);
  private Snapshots.@Nullable Handle snapshot;

  /** A snapshot: the version that it sees. */
  @Actor
  public void reader(II_Result result) {
    Snapshots.Handle acquired = snapshots.acquire();
    result.r1 = (int) acquired.sequence();
    snapshot = acquired;
  }

  /** A write, then a merge: how many snapshots it keeps versions for. */
  @Actor
  public void merger(II_Result result) {
    visible = 2;
    result.r2 = snapshots.sequences().length;
  }

  /** Closes the snapshot. */
  @Arbiter
  public void end(II_Result result) {
    if (snapshot != null) {
      snapshot.close();
    }
  }
}
