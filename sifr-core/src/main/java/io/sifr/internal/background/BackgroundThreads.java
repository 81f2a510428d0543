package io.sifr.internal.background;

import io.sifr.internal.util.NamedThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a store's background work: one for flushes and small tasks, some that write SSTs
 * for it when it flushes several databases, and some for compactions. They start with the first
 * work. Thread-safe.
 */
public final class BackgroundThreads implements Executor, AutoCloseable {
  /** Threads that write SSTs for a flush: they mostly wait for syncs, which the disk combines. */
  private static final int WRITERS = 8;

  private final ScheduledThreadPoolExecutor flusher =
      new ScheduledThreadPoolExecutor(1, NamedThreads.daemon("sifr-flush"));

  private final ThreadPoolExecutor writers =
      new ThreadPoolExecutor(
          WRITERS,
          WRITERS,
          1,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          NamedThreads.daemon("sifr-flush-writer"));

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
    writers.allowCoreThreadTimeOut(true);
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
  public synchronized void executeLater(Runnable small, long pauseMillis) {
    if (!stopped) {
      var unused = flusher.schedule(small, pauseMillis, TimeUnit.MILLISECONDS);
    }
  }

  /** Where a flush has that many pieces written: one by its own thread, more side by side. */
  Executor writers(int pieces) {
    return pieces == 1 ? Runnable::run : writers;
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
    writers.shutdown();
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
