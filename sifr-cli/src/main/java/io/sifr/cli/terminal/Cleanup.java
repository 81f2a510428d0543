package io.sifr.cli.terminal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * What has to be put in order before the process ends, also when SIGINT or SIGTERM ends it in the
 * middle of a command: open stores, temporary directories, child processes. Whoever opens such a
 * thing adds its closing, and removes it after having closed it. Thread-safe.
 */
public final class Cleanup {
  /** The newest is first. Guarded by this. */
  private final Deque<Runnable> closings = new ArrayDeque<>();

  /** Written under the lock of this, so that nothing is added behind the back of {@link #stop}. */
  private volatile boolean stopping;

  /** Nothing to be done yet. */
  public Cleanup() {}

  /**
   * Adds a closing, which must not mind to be run twice. Runs it at once when the process has been
   * told to stop.
   */
  public void add(Runnable closing) {
    synchronized (this) {
      if (!stopping) {
        closings.push(closing);
        return;
      }
    }
    closing.run();
  }

  /** Forgets a closing that has been run. */
  public synchronized void remove(Runnable closing) {
    closings.remove(closing);
  }

  /** Whether the process has been told to stop. What commands throw from then on means nothing. */
  public boolean isStopping() {
    return stopping;
  }

  /**
   * Runs what is there, the newest first.
   *
   * @param failed is told what could not be closed; the others are closed all the same
   */
  public void stop(Consumer<RuntimeException> failed) {
    synchronized (this) {
      stopping = true;
    }
    while (true) {
      Runnable next;
      synchronized (this) {
        next = closings.poll();
      }
      if (next == null) {
        return;
      }
      try {
        next.run();
      } catch (RuntimeException e) {
        failed.accept(e);
      }
    }
  }
}
