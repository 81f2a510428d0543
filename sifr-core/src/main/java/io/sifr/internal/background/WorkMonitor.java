package io.sifr.internal.background;

import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.util.FirstFailure;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

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
}
