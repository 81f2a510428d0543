package io.sifr.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what the background does soon, and tells nobody when it has. */
public final class Waiting {
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long POLL_NANOS = 200_000;

  private Waiting() {}

  /** Returns when the condition holds. */
  public static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > LONGEST_WAIT_NANOS) {
        throw new AssertionError("waited in vain: " + what);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
