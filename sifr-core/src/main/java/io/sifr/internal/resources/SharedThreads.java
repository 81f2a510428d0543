package io.sifr.internal.resources;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.sifr.config.StoreOptions;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of any number of stores: for flushes and small tasks, for writing several SSTs of a
 * flush at once, for segments of logs, for syncs of logs that no caller waits for, for compactions,
 * for searches. They start with the first work; those that are idle end after a second, searchers
 * after a while. All are daemons: a store that is never closed does not keep the JVM alive.
 *
 * <p>Thread-safe.
 */
public final class SharedThreads implements AutoCloseable {
  /** Stores that flush at the same time, so that a slow disk of a few does not stop the others. */
  private static final int FLUSHERS = 8;

  /** Threads that write SSTs for a flush: they mostly wait for syncs, which the disk combines. */
  private static final int WRITERS = 8;

  /**
   * Stores whose logs get a segment at the same time. When all these hang, writers of other stores
   * create their segments themselves.
   */
  private static final int LOGGERS = 4;

  private static final int IDLE_SECONDS = 1;

  private final ThreadPoolExecutor flushers = atMost(FLUSHERS, "sifr-flush");
  private final ThreadPoolExecutor loggers = atMost(LOGGERS, "sifr-log");
  private final ThreadPoolExecutor writers = asManyAsNeeded("sifr-flush-writer");
  private final ThreadPoolExecutor compactors = asManyAsNeeded("sifr-compaction");
  private final ThreadPoolExecutor syncers = asManyAsNeeded("sifr-sync");
  private final CompactionThreads compactions;
  private final SearchThreads searches;

  /** As many as the options say; none is started yet. */
  public SharedThreads(StoreOptions options) {
    compactions = new CompactionThreads(options.compactionThreads(), compactors);
    searches = new SearchThreads(options.searchThreads());
  }

  private static ThreadPoolExecutor atMost(int threads, String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            daemons(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** A store that is never closed does not keep the JVM alive. */
  private static ThreadFactory daemons(String name) {
    return new ThreadFactoryBuilder().setNameFormat(name + "-%d").setDaemon(true).build();
  }

  private static ThreadPoolExecutor asManyAsNeeded(String name) {
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        daemons(name));
  }

  /** A queue of flushes and small tasks of one store, which run one after the other. */
  public TaskQueue newTaskQueue() {
    return new TaskQueue(flushers, 1);
  }

  /** A queue for the SSTs of one store's flushes, several of which are written at once. */
  public TaskQueue newWriterQueue() {
    return new TaskQueue(writers, WRITERS);
  }

  /**
   * A queue of one store's log, which prepares its segments there, one after the other: on threads
   * of their own, because a segment that had to wait for a flush would come too late.
   */
  public TaskQueue newLogQueue() {
    return new TaskQueue(loggers, 1);
  }

  /** Where logs are synced, each by one thread at a time, which may run what users have given. */
  public Executor syncers() {
    return syncers;
  }

  public CompactionThreads compactions() {
    return compactions;
  }

  public SearchThreads searches() {
    return searches;
  }

  /** Ends all threads. Called when no store uses them any more. */
  @Override
  public void close() {
    flushers.shutdown();
    loggers.shutdown();
    writers.shutdown();
    compactors.shutdown();
    syncers.shutdown();
    searches.close();
  }
}
