package io.sifr.bench.measure;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Samples something repeatedly, on a thread of its own. Changes between two samples go unnoticed.
 */
public final class Looks implements AutoCloseable {
  private final Runnable look;
  private final long periodMillis;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "bench-looks");
  private volatile @Nullable Throwable failure;

  /** Begins at once. */
  public Looks(long periodMillis, Runnable look) {
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
   * Ends, after at least one sample.
   *
   * @throws IllegalStateException when a sample has failed: the results would be meaningless
   */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while sampling ends", e);
    }
    Throwable cause = failure;
    if (cause != null) {
      throw new IllegalStateException("a sample has failed: " + cause, cause);
    }
  }
}
