package io.sifr.internal.background;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.util.Failures.FirstFailure;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Guards the state by which background work is scheduled: schedules synchronize on it, and notify
 * it whenever that state, or a view, changes. Callers' threads wait here for such changes.
 *
 * <p>Planning holds it for as long as it takes, tens of milliseconds in a large store. So nothing
 * that a writer calls under the write lock synchronizes on it.
 */
public final class WorkMonitor {
  private final FirstFailure failure;

  // Both changed under this, and read without.
  private final Attempts flushes = new Attempts();
  private volatile boolean stopped;

  /** Guarded by this. */
  private int callers;

  public WorkMonitor(FirstFailure failure) {
    this.failure = failure;
  }

  /** The failures of flushes, which run one after the other. Changed under this. */
  public Attempts flushes() {
    return flushes;
  }

  /** No more work begins. */
  public synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  public boolean isStopped() {
    return stopped;
  }

  /** Whether work may begin. */
  public boolean goesOn() {
    return !stopped && !failure.isNoted();
  }

  /**
   * Work of a caller begins, which closing the store waits for.
   *
   * @throws IllegalStateException when the store is closing
   */
  public synchronized void enter() {
    if (stopped) {
      throw Lifecycle.closedException();
    }
    callers++;
  }

  /** Work of a caller has ended. */
  public synchronized void leave() {
    callers--;
    notifyAll();
  }

  /** Whether a caller works. */
  public synchronized boolean isEntered() {
    return callers > 0;
  }

  /** Wakes waiting threads to evaluate their conditions again. */
  public synchronized void changed() {
    notifyAll();
  }

  /** Throws the failure that keeps flushes from running, if there is one. */
  public void checkCanFlush() {
    failure.check();
    flushes.check();
  }

  /**
   * Waits until a condition, which is evaluated under this monitor, holds, whatever happens
   * meanwhile.
   */
  public synchronized void awaitInAnyCase(BooleanSupplier condition) {
    boolean interrupted = false;
    try {
      while (!condition.getAsBoolean()) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * As above, but only for a while; may return sooner.
   *
   * @return whether the condition holds
   */
  public synchronized boolean pause(long nanos, BooleanSupplier condition) {
    if (condition.getAsBoolean()) {
      return true;
    }
    boolean interrupted = Thread.interrupted(); // else it would not wait at all
    try {
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return condition.getAsBoolean();
  }

  /**
   * Waits until a condition, which is evaluated under this monitor, holds.
   *
   * @throws IllegalStateException when the store's background work is stopped
   * @throws io.sifr.error.SifrException the failure that keeps flushes from running
   */
  public synchronized void await(BooleanSupplier condition) {
    awaitInAnyCase(
        () -> {
          if (condition.getAsBoolean()) {
            return true;
          }
          checkCanFlush();
          if (stopped) {
            throw Lifecycle.closedException();
          }
          return false;
        });
  }

  /**
   * The consecutive failures of one kind of background work, which is retried because nothing of it
   * was committed. On a full disk the pause before a retry is 200 ms; after other failures 100 ms
   * at first, then twice as long each time, up to 5 s.
   *
   * <p>Threads that wait for the work are notified of a full disk at once, since it lasts until
   * space is freed. Other failures are mostly transient and reported to them only when the work has
   * failed more than {@value #MOST_AWAITED} times, after 1.5 s.
   *
   * <p>The caller synchronizes changes. Reading needs no lock: writers do it under the write lock.
   */
  public static final class Attempts {
    /** Consecutive failures that waiting threads do not get. */
    static final int MOST_AWAITED = 4;

    private static final long FULL_PAUSE_MILLIS = 200;
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 5000;

    /** Consecutive failures, the last one, and whether the next attempt has to wait. */
    private record State(int failures, @Nullable StoreIoException last, boolean isPausing) {
      static final State NONE = new State(0, null, false);
    }

    private volatile State state = State.NONE;

    /** Whether the previous attempt failed differently, so that this failure is to be reported. */
    boolean isNews(StoreIoException failure) {
      StoreIoException last = state.last();
      return last == null || !last.getClass().equals(failure.getClass());
    }

    /**
     * Notes that an attempt failed; the next one is not made before {@link #next}.
     *
     * @return milliseconds to wait before the next
     */
    long failed(StoreIoException failure) {
      int failures = state.failures() + 1;
      state = new State(failures, failure, true);
      return failure instanceof StoreFullException
          ? FULL_PAUSE_MILLIS
          : Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures - 1, 10));
    }

    /** The pause is over. */
    public void next() {
      State paused = state;
      state = new State(paused.failures(), paused.last(), false);
    }

    /** Whether the last attempt failed. */
    public boolean hasFailed() {
      return state.failures() > 0;
    }

    /** Whether the last attempt failed because the disk was full. */
    public boolean lackedSpace() {
      return state.last() instanceof StoreFullException;
    }

    /** Whether the next attempt has to wait. */
    public boolean isPausing() {
      return state.isPausing();
    }

    /**
     * An attempt succeeded.
     *
     * @return how many had failed before
     */
    public int succeeded() {
      int before = state.failures();
      state = State.NONE;
      return before;
    }

    /** During a pause, throws the last failure if it should be reported to waiting threads. */
    public void check() {
      State now = state;
      StoreIoException cause = now.last();
      if (now.isPausing()
          && cause != null
          && (cause instanceof StoreFullException || now.failures() > MOST_AWAITED)) {
        throw cause.again();
      }
    }
  }
}
