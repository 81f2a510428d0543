package io.sifr.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import io.sifr.internal.resources.SharedThreads;
import io.sifr.testing.Waiting;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class BackgroundThreadsTest {
  private static final long TEN_MINUTES = 600_000;

  private final List<String> done = Collections.synchronizedList(new ArrayList<>());

  /** The timer is the JVM's, and would keep a store that is closed for as long as the pause. */
  @Test
  void stopForgetsTasksThatWaitForTheirTime() {
    try (SharedThreads shared = new SharedThreads(StoreOptions.DEFAULT)) {
      BackgroundThreads threads = new BackgroundThreads(shared);
      WeakReference<Runnable> task = muchLater(threads);
      threads.stop();
      Waiting.until("it is forgotten", () -> isCollected(task));
      threads.executeLater(() -> done.add("later"), 1);
      threads.executeLater(() -> done.add("now"), 0);
      threads.close();
    }
    assertThat(done).isEmpty();
  }

  private WeakReference<Runnable> muchLater(BackgroundThreads threads) {
    List<String> list = done;
    Runnable task = () -> list.add("much later");
    threads.executeLater(task, TEN_MINUTES);
    return new WeakReference<>(task);
  }

  private static boolean isCollected(WeakReference<?> reference) {
    System.gc();
    return reference.refersTo(null);
  }

  @Test
  void tasksRunOneAfterTheOtherWhenItIsTime() {
    try (SharedThreads shared = new SharedThreads(StoreOptions.DEFAULT)) {
      BackgroundThreads threads = new BackgroundThreads(shared);
      CountDownLatch mayEnd = new CountDownLatch(1);
      CountDownLatch last = new CountDownLatch(1);
      threads.execute(
          () -> {
            await(mayEnd);
            done.add("first");
          });
      threads.executeLater(() -> done.add("second"), 0);
      threads.executeLater(last::countDown, 1);
      mayEnd.countDown();
      await(last);
      threads.close();
      assertThat(done).containsExactly("first", "second");
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
