package io.sifr.internal.background;

import io.sifr.internal.resources.CompactionThreads;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.resources.SharedThreads;
import io.sifr.internal.resources.TaskQueue;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The work of one store on threads that it may share with others: flushes and small tasks, one
 * after the other; the writing of SSTs for a flush of several databases; the preparation of log
 * segments, and its syncs that no caller waits for; compactions. Thread-safe.
 */
public final class BackgroundThreads implements Executor, AutoCloseable {
  private final SharedThreads threads;
  private final TaskQueue tasks;
  private final TaskQueue writers;
  private final TaskQueue log;

  /** Tasks that wait for their time. Guarded by this. */
  private final Set<Delayed> delayed = new HashSet<>();

  /** Guarded by this. */
  private boolean stopped;

  /** Nothing runs yet. */
  public BackgroundThreads(SharedThreads threads) {
    this.threads = threads;
    this.tasks = threads.newTaskQueue();
    this.writers = threads.newWriterQueue();
    this.log = threads.newLogQueue();
  }

  public SearchThreads searches() {
    return threads.searches();
  }

  public CompactionThreads compactions() {
    return threads.compactions();
  }

  /** Runs a flush, or a small task between flushes. */
  @Override
  public void execute(Runnable flush) {
    tasks.execute(flush);
  }

  /** Where the log prepares its segments: never after a flush. */
  public Executor log() {
    return log;
  }

  /** Where the log is synced. {@link #close} does not wait for that. */
  public Executor syncers() {
    return threads.syncers();
  }

  /** Runs a small task after a pause; ignored after {@link #stop}. */
  public synchronized void executeLater(Runnable small, long pauseMillis) {
    if (stopped) {
      return;
    }
    if (pauseMillis == 0) {
      tasks.execute(small);
    } else {
      Delayed task = new Delayed(small);
      delayed.add(task);
      // The JVM's timer: it has one thread for all, so a store that is idle has none.
      task.start =
          new CompletableFuture<Void>().completeOnTimeout(null, pauseMillis, TimeUnit.MILLISECONDS);
      var unused = task.start.thenRun(task);
    }
  }

  /** Where a flush has that many pieces written: one by its own thread, more side by side. */
  Executor writers(int pieces) {
    return pieces == 1 ? Runnable::run : writers;
  }

  /** Accepts no more delayed tasks, and forgets those that wait. */
  public synchronized void stop() {
    stopped = true;
    List<Delayed> waiting = List.copyOf(delayed);
    delayed.clear(); // before: a task whose time has just come is run by the cancel
    for (Delayed task : waiting) {
      if (task.start != null) {
        task.start.cancel(false);
      }
    }
  }

  /** Waits until everything that was begun has ended, except compactions. */
  @Override
  public void close() {
    stop();
    tasks.close();
    writers.close();
    log.close();
  }

  /** A task that waits for its time, and then for its turn. */
  private final class Delayed implements Runnable {
    private final Runnable task;
    private @Nullable CompletableFuture<Void> start; // guarded by the threads

    Delayed(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      synchronized (BackgroundThreads.this) {
        if (delayed.remove(this)) {
          tasks.execute(task);
        }
      }
    }
  }
}
