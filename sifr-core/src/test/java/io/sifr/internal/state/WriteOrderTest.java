package io.sifr.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.testing.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets the lock of all writes. */
class WriteOrderTest {
  private final WriteOrder order = new WriteOrder(0);

  /** However quick the thread is that has the lock and takes it again. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void whoWaitsIsPassedByABoundedNumberOfWrites(int waiting) throws InterruptedException {
    AtomicInteger turns = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    order.lock();
    for (int i = 0; i < waiting; i++) {
      Thread thread =
          new Thread(
              () -> {
                order.lock();
                turns.incrementAndGet();
                order.unlock();
              });
      threads.add(thread);
      thread.start();
      Waiting.until("it to wait", () -> thread.getState() == Thread.State.WAITING);
    }
    for (int turn = 1; turn <= waiting; turn++) {
      for (int i = 0; i <= WriteOrder.MOST_PASSING; i++) {
        order.unlock();
        order.lock();
      }
      assertThat(turns).hasValueGreaterThanOrEqualTo(turn);
    }
    order.unlock();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void aLockThatNobodyWaitsForIsTakenAgainAndAgain() {
    for (int i = 0; i < 10 * WriteOrder.MOST_PASSING; i++) {
      order.lock();
      order.unlock();
    }
    assertThat(order.visible()).isZero();
  }
}
