package io.sifr.internal.resources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.testing.Waiting;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class TaskQueueTest {
  private final Deque<Runnable> ordered = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();

  private void execute(TaskQueue queue, String... tasks) {
    for (String task : tasks) {
      queue.execute(() -> done.add(task));
    }
  }

  private void runNext() {
    Objects.requireNonNull(ordered.poll()).run();
  }

  @Test
  void queuesTakeTurns() {
    TaskQueue first = new TaskQueue(ordered::add, 1);
    TaskQueue second = new TaskQueue(ordered::add, 1);
    execute(first, "a1", "a2", "a3");
    execute(second, "b1", "b2");
    while (!ordered.isEmpty()) {
      assertThat(ordered).hasSizeLessThanOrEqualTo(2);
      runNext();
    }
    assertThat(done).containsExactly("a1", "b1", "a2", "b2", "a3");
    first.close();
    second.close();
  }

  @Test
  void asManyRunAtATimeAsAllowed() {
    TaskQueue queue = new TaskQueue(ordered::add, 3);
    List<Runnable> nested = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      queue.execute(() -> nested.add(() -> {}));
    }
    assertThat(ordered).hasSize(3);
    for (int run = 0; run < 10; run++) {
      assertThat(ordered).hasSize(Math.min(3, 10 - run));
      runNext();
    }
    assertThat(nested).hasSize(10);
    queue.close();
  }

  /** While tasks run, as many others may begin as there may be in all. */
  @Test
  void thoseThatWaitBeginWhenOthersEnd() {
    TaskQueue queue = new TaskQueue(ordered::add, 2);
    queue.execute(
        () -> {
          runNext(); // the second one runs and ends within the first
          assertThat(ordered).hasSize(1);
          done.add("a");
        });
    execute(queue, "b", "c", "d");
    runNext();
    assertThat(ordered).hasSize(2);
    runNext();
    runNext();
    assertThat(ordered).isEmpty();
    assertThat(done).containsExactly("b", "a", "c", "d");
    queue.close();
  }

  @Test
  void aFailedTaskDoesNotStopTheOthers() {
    TaskQueue queue = new TaskQueue(ordered::add, 1);
    queue.execute(
        () -> {
          throw new IllegalStateException("task");
        });
    execute(queue, "next");
    assertThatThrownBy(this::runNext).hasMessage("task");
    runNext();
    assertThat(done).containsExactly("next");
    queue.close();
  }

  @Test
  void closeWaitsForAllAndRefusesMore() throws InterruptedException {
    TaskQueue queue = new TaskQueue(ordered::add, 1);
    execute(queue, "a", "b");
    Thread closing = new Thread(queue::close);
    closing.start();
    Waiting.until("it waits", () -> closing.getState() == Thread.State.WAITING);
    assertThatThrownBy(() -> execute(queue, "c")).isInstanceOf(RejectedExecutionException.class);
    runNext();
    assertThat(closing.isAlive()).isTrue();
    runNext();
    closing.join();
    assertThat(done).containsExactly("a", "b");
  }

  /** Nothing is lost or left behind when there is no memory for a thread. */
  @Test
  void threadsMayBeRefused() {
    boolean[] refuses = {true};
    Executor threads =
        task -> {
          if (refuses[0]) {
            throw new OutOfMemoryError("unable to create native thread");
          }
          ordered.add(task);
        };
    TaskQueue queue = new TaskQueue(threads, 2);
    assertThatThrownBy(() -> execute(queue, "refused")).isInstanceOf(OutOfMemoryError.class);
    refuses[0] = false;
    execute(queue, "a");
    refuses[0] = true;
    execute(queue, "b", "c"); // the thread for the first will do them
    runNext();
    assertThat(done).containsExactly("a", "b", "c");
    queue.close();
  }
}
