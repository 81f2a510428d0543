package io.sifr.cli.terminal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What has to be put in order before the process ends, also when SIGINT or SIGTERM ends it in the
 * middle of a command: open stores, temporary directories, child processes. Whoever opens such a
 * thing adds its closing, and removes it after having closed it. What cannot be closed while it is
 * used is left to the work that uses it, which is told to stop and waited for. Thread-safe.
 */
public final class Cleanup {
  /** Who interrupts a program wants it to end now, not when a merge of gigabytes is done. */
  private static final long MOST_MILLIS_WAITED = TimeUnit.SECONDS.toMillis(10);

  private final long mostMillisWaited;

  /** The newest is first. Guarded by this. */
  private final Deque<Runnable> closings = new ArrayDeque<>();

  /** Written under the lock of this, so that nothing is added behind the back of {@link #stop}. */
  private volatile boolean stopping;

  /** Nothing to be done yet. */
  public Cleanup() {
    this(MOST_MILLIS_WAITED);
  }

  /** One that waits so long for work that has been told to stop. */
  Cleanup(long mostMillisWaited) {
    this.mostMillisWaited = mostMillisWaited;
  }

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

  /**
   * Does work that leaves nothing behind, however it ends. When the process is told to stop, so is
   * the work, and the process waits until it has ended, but not for ever.
   *
   * @param stop makes the work end soon; called by another thread while the work runs
   * @return what the work returns
   * @throws CancellationException when the process has been told to stop already
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
