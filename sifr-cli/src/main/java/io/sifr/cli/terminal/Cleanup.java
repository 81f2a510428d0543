package io.sifr.cli.terminal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Cleanup before the process ends, also when SIGINT or SIGTERM ends it in the middle of a command:
 * of open stores, temporary directories, child processes. Code that opens such a resource adds an
 * action that closes it, and removes the action after closing the resource itself. A resource that
 * cannot be closed while it is in use is closed by the work that uses it, which is stopped and
 * awaited. Thread-safe.
 */
public final class Cleanup {
  /** A user who interrupts a program wants it to end now, not after a compaction of gigabytes. */
  private static final long MOST_MILLIS_WAITED = TimeUnit.SECONDS.toMillis(10);

  private final long mostMillisWaited;

  /** The newest is first. Guarded by this. */
  private final Deque<Runnable> closings = new ArrayDeque<>();

  /** Written with the lock of this object held, so that {@link #stop} misses nothing. */
  private volatile boolean stopping;

  /** Without any actions. */
  public Cleanup() {
    this(MOST_MILLIS_WAITED);
  }

  /** With a limit for the wait for work that has to stop. */
  Cleanup(long mostMillisWaited) {
    this.mostMillisWaited = mostMillisWaited;
  }

  /**
   * Adds an action, which must tolerate being run twice. Runs it at once if the process has been
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

  /** Removes an action that was run. */
  public synchronized void remove(Runnable closing) {
    closings.remove(closing);
  }

  /**
   * Runs work that cleans up after itself, however it ends. When the process has to stop, so has
   * the work, and the process waits for its end, for a limited time.
   *
   * @param stop makes the work end soon; called by another thread while the work runs
   * @return what the work returns
   * @throws CancellationException when the process has to stop already
   */
  public <T> T during(Runnable stop, Supplier<T> work) {
    CountDownLatch ended = new CountDownLatch(1);
    Runnable closing =
        () -> {
          stop.run();
          awaitEnd(ended);
        };
    synchronized (this) {
      if (stopping) {
        throw new CancellationException("the process has been told to stop");
      }
      closings.push(closing);
    }
    try {
      return work.get();
    } finally {
      remove(closing);
      ended.countDown();
    }
  }

  private void awaitEnd(CountDownLatch ended) {
    try {
      boolean unused = ended.await(mostMillisWaited, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether the process has to stop. Exceptions of commands are meaningless from then on. */
  public boolean isStopping() {
    return stopping;
  }

  /**
   * Runs all actions, newest first.
   *
   * @param failed receives the failures; the other actions run all the same
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

  /**
   * Ends the process with an exit code. If it has to stop, this returns, and the process ends with
   * the code of the signal: an exit code that is given at the very end of a shutdown can win over
   * that with which it began.
   */
  public void exit(int code) {
    if (!stopping) {
      System.exit(code);
    }
  }
}
