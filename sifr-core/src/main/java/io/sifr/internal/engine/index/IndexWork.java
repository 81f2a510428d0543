package io.sifr.internal.engine.index;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that builds and cleans the indexes of a store: there while there is something to do. Its
 * writes wait like those of any caller, so it cannot be one of those for which they wait.
 * Thread-safe.
 */
final class IndexWork {
  private static final Logger LOG = LoggerFactory.getLogger(IndexWork.class);

  /** Guarded by this, as is what follows. */
  private final Deque<Runnable> tasks = new ArrayDeque<>();

  private final CountDownLatch stopping = new CountDownLatch(1);
  private @Nullable Thread thread;
  private boolean stopped;

  /** Does something, after what was added before; nothing if it was stopped. */
  synchronized void add(Runnable task) {
    if (stopped) {
      return;
    }
    tasks.add(task);
    if (thread == null) {
      Thread begun = new Thread(this::run, "sifr-index");
      begun.setDaemon(true);
      thread = begun;
      begun.start();
    }
  }

  private void run() {
    for (Runnable task = next(); task != null; task = next()) {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        LOG.warn("the work on an index has failed", e);
      }
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable task = tasks.poll();
    if (task == null) {
      thread = null;
    }
    return task;
  }

  /** Waits for a while, or until it is stopped. */
  void pause(long millis) {
    try {
      var unused = stopping.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Does nothing more. Waits until what is being done has ended. */
  void stop() {
    Thread running;
    synchronized (this) {
      stopped = true;
      tasks.clear();
      running = thread;
      stopping.countDown();
    }
    boolean interrupted = false;
    while (running != null && running != Thread.currentThread() && running.isAlive()) {
      try {
        running.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether it was stopped. */
  synchronized boolean isStopped() {
    return stopped;
  }
}
