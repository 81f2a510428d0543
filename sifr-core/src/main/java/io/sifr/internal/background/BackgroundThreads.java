package io.sifr.internal.background;

import io.sifr.internal.util.NamedThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a store's background work: one for flushes and small tasks, and some for
 * compactions. They start with the first work. Thread-safe.
 */
public final class BackgroundThreads implements Executor, AutoCloseable {
  private final ScheduledThreadPoolExecutor flusher =
      new ScheduledThreadPoolExecutor(1, NamedThreads.daemon("sifr-flush"));
  private final ExecutorService compactor;
  private final int compactors;

  /** Guarded by this. */
  private boolean stopped;

  /**
   * Idle threads.
   *
   * @param compactors how many threads compact at most
   */
  public BackgroundThreads(int compactors) {
    this.compactors = compactors;
    this.compactor =
        Executors.newFixedThreadPool(compactors, NamedThreads.daemon("sifr-compaction"));
    flusher.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  int compactors() {
    return compactors;
  }

  /** Runs a flush, or a small task between flushes: the log prepares its segments there. */
  @Override
  public void execute(Runnable flush) {
    flusher.execute(flush);
  }

  /** Runs a small task after a pause; ignored after {@link #stop}. */
  synchronized void executeLater(Runnable small, long pauseMillis) {
    if (!stopped) {
      var unused = flusher.schedule(small, pauseMillis, TimeUnit.MILLISECONDS);
    }
  }

  void compact(Runnable compaction) {
    compactor.execute(compaction);
  }

  /** Accepts no more delayed tasks; {@link #close} cancels those that still wait. */
  synchronized void stop() {
    stopped = true;
  }

  /** Waits until everything that was begun has ended. */
  @Override
  public void close() {
    stop();
    compactor.shutdown();
    flusher.shutdown();
    awaitTermination(compactor);
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
