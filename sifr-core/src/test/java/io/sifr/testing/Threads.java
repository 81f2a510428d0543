package io.sifr.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/** Runs something on several threads at once. */
public final class Threads {
  private Threads() {}

  /**
   * Runs it on each thread, with the thread's number, from the same moment on, and returns when all
   * have ended.
   *
   * @throws AssertionError with the first failure as its cause
   */
  public static void run(int count, IntConsumer work) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                  work.accept(number);
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              },
              "test-" + i);
      threads.add(thread);
      thread.start();
    }
    start.countDown();
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
    if (failure.get() != null) {
      throw new AssertionError("a thread failed", failure.get());
    }
  }
}
