package io.sifr.internal.background;

import io.sifr.internal.state.Failure;
import io.sifr.internal.state.Lifecycle;

/**
 * Guards what the background works decide by: its users synchronize on it, and notify it whenever
 * something of that, or a view, changes. Threads of users wait for such changes here.
 */
final class WorkMonitor {
  /** What a thread waits for; asked while the monitor is held. */
  interface Condition {
    boolean holds();
  }

  private final Failure failure;

  // These guarded by this.
  private final Attempts flushes = new Attempts();
  private boolean stopped;

  WorkMonitor(Failure failure) {
    this.failure = failure;
  }

  /** The attempts to flush, all of which one thread makes. To be used while it is held. */
  Attempts flushes() {
    return flushes;
  }

  /** Nothing begins any more. */
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  synchronized boolean isStopped() {
    return stopped;
  }

  /** Whether works may begin. */
  synchronized boolean goesOn() {
    return !stopped && !failure.isNoted();
  }

  /** Has those that wait look again. */
  synchronized void changed() {
    notifyAll();
  }

  /** Throws what keeps flushes from going on, if anything does. */
  void checkCanFlush() {
    failure.check();
    synchronized (this) {
      flushes.check();
    }
  }

  /** Waits until something is so, whatever happens meanwhile. */
  synchronized void awaitInAnyCase(Condition condition) {
    boolean interrupted = false;
    try {
      while (!condition.holds()) {
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
   * Waits until something is so.
   *
   * @throws IllegalStateException when the works are stopped
   * @throws io.sifr.error.SifrException what keeps flushes from going on
   */
  synchronized void await(Condition condition) {
    awaitInAnyCase(
        () -> {
          if (condition.holds()) {
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
