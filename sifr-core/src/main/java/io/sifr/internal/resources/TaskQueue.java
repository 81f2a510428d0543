package io.sifr.internal.resources;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs the tasks of one store on threads that it shares with others: in their order, and only a few
 * at a time. After each task the thread goes to whoever has waited longest for one, so a store with
 * many tasks does not keep it. Thread-safe.
 */
public final class TaskQueue implements Executor, AutoCloseable {
  private final Executor threads;
  private final int most;

  // All below guarded by this.
  private final Deque<Runnable> waiting = new ArrayDeque<>();

  /** Tasks that run, or for which a thread was ordered. */
  private int running;

  /** Those among them for which a thread was ordered. */
  private int ordered;

  private boolean closed;

  /**
   * @param threads where tasks run
   * @param most how many of them at a time; with 1, one after the other
   */
  TaskQueue(Executor threads, int most) {
    this.threads = threads;
    this.most = most;
  }

  /**
   * Runs a task as soon as it is its turn.
   *
   * @throws RejectedExecutionException after {@link #close}
   */
  @Override
  public void execute(Runnable task) {
    synchronized (this) {
      if (closed) {
        throw new RejectedExecutionException("the store is closed");
      }
      waiting.add(task);
      if (running == most) {
        return;
      }
      running++;
      ordered++;
    }
    try {
      threads.execute(this::runNext);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      if (isTakenBack(task)) {
        throw e;
      }
    }
  }

  /** There is no thread for a task: takes it back, unless others run that will come to it. */
  private synchronized boolean isTakenBack(Runnable task) {
    ordered--;
    ended();
    return running == 0 && waiting.remove(task);
  }

  private synchronized void ended() {
    running--;
    notifyAll();
  }

  private void runNext() {
    try {
      next().run();
    } finally {
      if (goesOn()) {
        orderThread();
      }
    }
  }

  private synchronized Runnable next() {
    ordered--;
    return waiting.remove();
  }

  private synchronized boolean goesOn() {
    boolean goesOn = waiting.size() > ordered;
    if (goesOn) {
      ordered++;
    } else {
      ended();
    }
    return goesOn;
  }

  private void orderThread() {
    try {
      threads.execute(this::runNext);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      runNext(); // on this thread, which there is
    }
  }

  /** Accepts no more tasks, and waits until all have ended. */
  @Override
  public synchronized void close() {
    closed = true;
    boolean interrupted = false;
    while (running > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
