package io.sifr.bench.experiment;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Looks at something again and again, from a thread of its own. What comes between escapes it. */
final class Looks implements AutoCloseable {
  private final Runnable look;
  private final long periodMillis;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "bench-looks");
  private volatile @Nullable Throwable failure;

  /** Begins at once. */
  Looks(long periodMillis, Runnable look) {
    this.periodMillis = periodMillis;
    this.look = look;
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      do {
        look.run();
      } while (!closing.await(periodMillis, TimeUnit.MILLISECONDS));
    } catch (InterruptedException | RuntimeException | Error e) {
      failure = e;
    }
  }

  /**
   * Ends, after one look at least.
   *
   * @throws IllegalStateException when a look has failed: what was seen would mean nothing
   */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the looks end", e);
    }
    Throwable cause = failure;
    if (cause != null) {
      throw new IllegalStateException("a look has failed: " + cause, cause);
    }
  }
}
