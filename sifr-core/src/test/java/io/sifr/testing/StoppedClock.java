package io.sifr.testing;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.CountDownLatch;

/** A clock that stands still until a test lets it go; then nobody waits any more. Thread-safe. */
public final class StoppedClock implements ThrottledFileSystem.Clock {
  private final CountDownLatch awaited = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);

  /** A clock at 0. */
  public StoppedClock() {}

  @Override
  public long nanos() {
    return 0;
  }

  @Override
  public void awaitUntil(long nanos) {
    if (nanos > 0) {
      awaited.countDown();
      Uninterruptibles.awaitUninterruptibly(goesOn);
    }
  }

  /** Returns when a thread waits for a later time. */
  public void awaitWaiting() {
    Uninterruptibles.awaitUninterruptibly(awaited);
  }

  /** From now on it is always late enough. */
  public void letGo() {
    goesOn.countDown();
  }
}
