package io.sifr.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import io.sifr.internal.resources.SharedThreads;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class BackgroundThreadsTest {
  private static final long TEN_MINUTES = 600_000;

  private final List<String> done = Collections.synchronizedList(new ArrayList<>());

  /** The timer is shared, and would keep a store that is closed for as long as the pause. */
  @Test
  void stopForgetsTasksThatWaitForTheirTime() {
    try (SharedThreads shared = new SharedThreads(StoreOptions.DEFAULT)) {
      BackgroundThreads threads = new BackgroundThreads(shared);
      threads.executeLater(() -> done.add("much later"), TEN_MINUTES);
      assertThat(shared.timer().getQueue()).hasSize(1);
      threads.stop();
      assertThat(shared.timer().getQueue()).isEmpty();
      threads.executeLater(() -> done.add("later"), 1);
      threads.executeLater(() -> done.add("now"), 0);
      assertThat(shared.timer().getQueue()).isEmpty();
      threads.close();
    }
    assertThat(done).isEmpty();
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
