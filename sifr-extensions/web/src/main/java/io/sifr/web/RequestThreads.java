package io.sifr.web;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a server, of which one reads each request and sends its answer. Who sends or
 * receives too slowly is cut off: an interrupt closes the connection on which a thread waits.
 */
final class RequestThreads implements Executor, AutoCloseable {
  /** Threads at the same time. */
  static final int MOST = 16;

  /** The time of a request, with its answer. */
  static final Duration MOST_TIME = Duration.ofSeconds(30);

  private static final long IDLE_SECONDS = 10;
  private static final long CLOSE_SECONDS = 10;
  private static final ThreadFactory DAEMONS =
      work -> {
        Thread thread = new Thread(work, "sifr-web");
        thread.setDaemon(true);
        return thread;
      };

  private final Duration mostTime;
  private final ThreadPoolExecutor threads;
  private final ScheduledThreadPoolExecutor clock;

  RequestThreads(Duration mostTime) {
    this.mostTime = mostTime;
    this.threads =
        new ThreadPoolExecutor(
            MOST, MOST, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), DAEMONS);
    threads.allowCoreThreadTimeOut(true);
    this.clock = new ScheduledThreadPoolExecutor(1, DAEMONS);
    clock.setRemoveOnCancelPolicy(true);
    clock.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    clock.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable request) {
    threads.execute(() -> run(request));
  }

  private void run(Runnable request) {
    Limit limit = new Limit(Thread.currentThread());
    ScheduledFuture<?> due =
        clock.schedule(limit::reached, mostTime.toMillis(), TimeUnit.MILLISECONDS);
    try {
      request.run();
    } finally {
      due.cancel(false);
      limit.end();
    }
  }

  /** Ends the requests under way, and waits for their threads, for a limited time. */
  @Override
  public void close() {
    threads.shutdownNow();
    clock.shutdownNow();
    try {
      boolean unused = threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Interrupts a thread as long as it is busy with a request, and not with the next one. */
  private static final class Limit {
    private final Thread thread;
    private boolean ended;

    Limit(Thread thread) {
      this.thread = thread;
    }

    synchronized void reached() {
      if (!ended) {
        thread.interrupt();
      }
    }

    synchronized void end() {
      ended = true;
      // An interrupt that came too late is nobody's.
      boolean unused = Thread.interrupted();
    }
  }
}
