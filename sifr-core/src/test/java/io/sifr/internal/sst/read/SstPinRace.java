package io.sifr.internal.sst.read;

import io.sifr.testing.SstMetas;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Cursors pin an SST while it becomes obsolete: who has a pin is never without the file, who has
 * none knows it, and the file is given up once, by whoever lets go last.
 */
@JCStressTest
@Outcome(id = "[01], 1", expect = Expect.ACCEPTABLE, desc = "pinned or told that it is gone")
@Outcome(expect = Expect.FORBIDDEN, desc = "given up under a pin, or not once")
@State
public class SstPinRace {
  private static final int TOO_LATE = 0;
  private static final int PINNED = 1;
  private static final int GIVEN_UP_UNDER_PIN = 2;

  private final Sst sst =
      new Sst(SstMetas.of(1, 1, 4096, 1, 0, 0, 1, 0, 1, 1, new byte[1], new byte[1]));
  private int timesFree;

  /** A cursor that enters and leaves the SST. */
  @Actor
  public void cursor(II_Result result) {
    if (sst.tryPin()) {
      result.r1 = timesFree == 0 ? PINNED : GIVEN_UP_UNDER_PIN;
      sst.unpin();
    } else {
      result.r1 = TOO_LATE;
    }
  }

  /** Early cleaning. */
  @Actor
  public void cleaner() {
    sst.markObsolete(() -> timesFree++);
  }

  /** When all is over. */
  @Arbiter
  public void end(II_Result result) {
    result.r2 = timesFree;
  }
}
