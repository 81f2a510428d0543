package io.sifr.internal.view;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A reader counts itself in and loads what is published; a cleaner publishes something else and
 * looks at the counts. These four steps are Dekker's algorithm: if one of them overtakes another,
 * the thing is disposed of under its reader.
 */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "found the old thing, and it was there")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "found the new thing")
@Outcome(expect = Expect.FORBIDDEN, desc = "disposed of under its reader")
@State
public class RetireRace {
  private static final int NEW = 1;
  private static final int DISPOSED = 2;

  /** How long the reader uses what it has found. */
  private static final int SPINS_OF_USE = 20;

  /** What a reader uses; plain on purpose. */
  private static final class Thing {
    private int state;

    private Thing(int state) {
      this.state = state;
    }
  }

  private final ReadEpochs epochs = new ReadEpochs();
  private volatile Thing published = new Thing(0);

  /** A point read. */
  @Actor
  public void reader(I_Result result) {
    int ticket = epochs.enter();
    Thing found = published;
    for (int i = 0; i < SPINS_OF_USE; i++) {
      Thread.onSpinWait();
    }
    result.r1 = found.state;
    epochs.exit(ticket);
  }

  /** What a commit does after its edit. */
  @Actor
  public void cleaner() {
    Thing old = published;
    published = new Thing(NEW);
    epochs.retire(() -> old.state = DISPOSED);
  }
}
