package io.sifr.internal.resources;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets threads without work spin for a moment before they park: to wake a thread takes about half
 * as long as a read of a block, and queries follow one another closely. Spinning threads yield
 * their processor, and rarely spin at all if it has mostly been useless.
 *
 * <p>Work that is offered is always taken: each spinning thread adds one slot, and a thread leaves
 * only with work or by removing a slot. Thread-safe.
 */
final class SpinWait<T> {
  private static final int MAX_SCORE = 32;

  /** With a score of 0, one wait in this many still spins. */
  private static final int TRIED_ONE_IN = 16;

  private final ConcurrentLinkedQueue<T> offered = new ConcurrentLinkedQueue<>();

  /** Number of spinning threads without an offer. */
  private final AtomicInteger slots = new AtomicInteger();

  /**
   * Rises with each wait that received work and falls with each that did not. A lost update is
   * harmless.
   */
  private volatile int score = MAX_SCORE;

  /**
   * Offers work to a spinning thread.
   *
   * @return false when there is none; the work is not taken then
   */
  boolean offer(T work) {
    if (!takeSlot()) {
      return false;
    }
    try {
      offered.add(work);
    } catch (OutOfMemoryError e) {
      slots.incrementAndGet();
      throw e;
    }
    return true;
  }

  /**
   * Spins until work is offered.
   *
   * @param nanos the longest time to spin; exceeded only while an offer is in progress
   * @param isWantedElsewhere whether to stop at once
   * @return the work; null when none was offered
   */
  @Nullable T await(long nanos, BooleanSupplier isWantedElsewhere) {
    int before = score;
    if (before == 0 && ThreadLocalRandom.current().nextInt(TRIED_ONE_IN) != 0) {
      return null;
    }
    slots.incrementAndGet();
    while (true) {
      spin(nanos, () -> !offered.isEmpty() || isWantedElsewhere.getAsBoolean());
      T taken = offered.poll();
      if (taken != null || takeSlot()) {
        score = taken != null ? Math.min(MAX_SCORE, before + 1) : Math.max(0, before - 1);
        return taken;
      }
      // An offer is in progress.
    }
  }

  /**
   * Spins until a condition holds.
   *
   * @param nanos the longest time to spin
   * @return whether it holds
   */
  @CanIgnoreReturnValue
  @SuppressWarnings("ThreadPriorityCheck") // nothing depends on which thread runs
  static boolean spin(long nanos, BooleanSupplier isDone) {
    long start = System.nanoTime();
    while (!isDone.getAsBoolean()) {
      if (System.nanoTime() - start >= nanos) {
        return false;
      }
      Thread.yield();
    }
    return true;
  }

  /** Number of spinning threads without an offer. */
  int count() {
    return slots.get();
  }

  private boolean takeSlot() {
    int seen = slots.get();
    while (seen > 0 && !slots.compareAndSet(seen, seen - 1)) {
      seen = slots.get();
    }
    return seen > 0;
  }
}
