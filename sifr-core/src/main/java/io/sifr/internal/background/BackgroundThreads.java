package io.sifr.internal.background;

import io.sifr.internal.util.NamedThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a store's background works: one that flushes and does what is small, and some that
 * merge. They come with the first work. Thread-safe.
 */
public final class BackgroundThreads implements Executor, AutoCloseable {
  private final ScheduledThreadPoolExecutor flusher =
      new ScheduledThreadPoolExecutor(1, NamedThreads.daemon("sifr-flush"));
  private final ExecutorService merger;
  private final int mergers;

  /** Guarded by this. */
  private boolean stopped;

  /**
   * Threads that have nothing to do yet.
   *
   * @param mergers how many merge at most
   */
  public BackgroundThreads(int mergers) {
    this.mergers = mergers;
    this.merger = Executors.newFixedThreadPool(mergers, NamedThreads.daemon("sifr-merge"));
    flusher.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  int mergers() {
    return mergers;
  }

  /** Runs a flush, or something small between flushes: the log prepares its segments there. */
  @Override
  public void execute(Runnable flush) {
    flusher.execute(flush);
  }

  /** Runs something small after a pause; nothing any more once they were told to stop. */
  synchronized void executeLater(Runnable small, long pauseMillis) {
    if (!stopped) {
      var unused = flusher.schedule(small, pauseMillis, TimeUnit.MILLISECONDS);
    }
  }

  void merge(Runnable merge) {
    merger.execute(merge);
  }

  /** From now on nothing is run later. */
  synchronized void stop() {
    stopped = true;
  }

  /** Waits until all has run that was begun. */
  @Override
  public void close() {
    stop();
    merger.shutdown();
    flusher.shutdown();
    awaitTermination(merger);
    awaitTermination(flusher);
  }

  private static void awaitTermination(ExecutorService executor) {
    boolean interrupted = false;
    while (true) {
      try {
        if (executor.awaitTermination(1, TimeUnit.HOURS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
