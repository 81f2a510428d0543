package io.sifr.internal.search;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where threads that have come to the end of their work look out for more, for a moment, before
 * they go to sleep: to wake a thread takes about as long as half a read of a block, and queries
 * come one after the other. They give their processor to whoever wants it meanwhile, and do not
 * linger where it is in vain as a rule.
 *
 * <p>What is given is taken: each thread that lingers counts as one place, and a thread may only
 * leave with something or by taking its place along. Thread-safe.
 */
final class Lingering<T> {
  private static final int MOST_LUCK = 32;

  /** Without luck it is tried again now and then. */
  private static final int TRIED_ONE_IN = 16;

  private final ConcurrentLinkedQueue<T> given = new ConcurrentLinkedQueue<>();

  /** Threads that linger and for which nothing was given yet. */
  private final AtomicInteger places = new AtomicInteger();

  /**
   * More with each thread that was given something, less with each that was not. An update that is
   * lost does no harm.
   */
  private volatile int luck = MOST_LUCK;

  /**
   * Gives something to a thread that lingers.
   *
   * @return false when there is none; it is not given then
   */
  boolean give(T work) {
    if (!takePlace()) {
      return false;
    }
    try {
      given.add(work);
    } catch (OutOfMemoryError e) {
      places.incrementAndGet();
      throw e;
    }
    return true;
  }

  /**
   * Lingers.
   *
   * @param nanos for how long, at most; unless something is about to be given
   * @param isWantedElsewhere whether to go at once
   * @return what was given; null when nothing was
   */
  @Nullable T await(long nanos, BooleanSupplier isWantedElsewhere) {
    int before = luck;
    if (before == 0 && ThreadLocalRandom.current().nextInt(TRIED_ONE_IN) != 0) {
      return null;
    }
    places.incrementAndGet();
    while (true) {
      lookOut(nanos, () -> !given.isEmpty() || isWantedElsewhere.getAsBoolean());
      T taken = given.poll();
      if (taken != null || takePlace()) {
        luck = taken != null ? Math.min(MOST_LUCK, before + 1) : Math.max(0, before - 1);
        return taken;
      }
      // Something is given at this moment.
    }
  }

  /**
   * Waits awake.
   *
   * @param nanos for how long, at most
   * @return whether it has come
   */
  @CanIgnoreReturnValue
  @SuppressWarnings("ThreadPriorityCheck") // nothing depends on who gets the processor
  static boolean lookOut(long nanos, BooleanSupplier hasCome) {
    long start = System.nanoTime();
    while (!hasCome.getAsBoolean()) {
      if (System.nanoTime() - start >= nanos) {
        return false;
      }
      Thread.yield();
    }
    return true;
  }

  /** Threads that linger and for which nothing was given yet. */
  int count() {
    return places.get();
  }

  private boolean takePlace() {
    int seen = places.get();
    while (seen > 0 && !places.compareAndSet(seen, seen - 1)) {
      seen = places.get();
    }
    return seen > 0;
  }
}
