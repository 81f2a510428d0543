package io.sifr.testing;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.CountDownLatch;

/**
 * Holds up threads at some place from when it is closed until it is opened for good, and tells when
 * the first has come there. At first nobody is held up.
 */
public final class Gate {
  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);
  private volatile boolean isClosed;

  /** A gate through which everybody passes so far. */
  public Gate() {}

  /** From now on threads are held up. */
  public void close() {
    isClosed = true;
  }

  /** Waits while it is closed. */
  public void pass() {
    if (isClosed) {
      arrived.countDown();
      Uninterruptibles.awaitUninterruptibly(opened);
    }
  }

  /** Waits until a thread is held up. */
  public void awaitArrival() {
    Uninterruptibles.awaitUninterruptibly(arrived);
  }

  /** Lets all pass, from now on for good. */
  public void open() {
    isClosed = false;
    opened.countDown();
  }
}
