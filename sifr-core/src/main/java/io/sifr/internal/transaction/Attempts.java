package io.sifr.internal.transaction;

import io.sifr.error.ConflictException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Begins a transaction that has conflicts again, after a pause of random length, which is longer
 * each time, so that those that got in each other's way do so no more. For one thread.
 */
public final class Attempts {
  private static final long FIRST_PAUSE_NANOS = 20_000;
  private static final long LONGEST_PAUSE_NANOS = 10_000_000;

  private final int most;
  private int made;

  /**
   * @param most number of attempts
   */
  public Attempts(int most) {
    this.most = most;
  }

  /**
   * Pauses before the next attempt.
   *
   * @throws ConflictException when there is no next one
   */
  public void failed(ConflictException conflict) {
    made++;
    if (made == most) {
      throw new ConflictException(
          conflict.database(),
          conflict.key(),
          "the transaction had a conflict in each of "
              + most
              + " attempts, in the last because "
              + conflict.getMessage(),
          conflict);
    }
    long longest = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(made, 20));
    // A thread that was interrupted does not pause: it goes on.
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longest));
  }
}
