package io.sifr.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class CleanupTest {
  private final Cleanup cleanup = new Cleanup();
  private final List<String> done = new ArrayList<>();

  @Test
  void theNewestIsClosedFirst() {
    cleanup.add(() -> done.add("directory"));
    cleanup.add(() -> done.add("store"));

    cleanup.stop(e -> done.add("failed"));

    assertThat(done).containsExactly("store", "directory");
    assertThat(cleanup.isStopping()).isTrue();
  }

  /** It would end the JVM of the tests. */
  @Test
  void aProcessThatWasToldToStopEndsWithTheCodeOfTheSignal() {
    cleanup.stop(e -> done.add("failed"));

    cleanup.exit(130);

    assertThat(done).isEmpty();
  }

  @Test
  void whatItsOwnerClosedIsNotClosedAgain() {
    Runnable store = () -> done.add("store");
    cleanup.add(store);
    cleanup.remove(store);

    cleanup.stop(e -> done.add("failed"));

    assertThat(done).isEmpty();
  }

  @Test
  void oneFailureDoesNotKeepTheOthersOpen() {
    cleanup.add(() -> done.add("directory"));
    cleanup.add(
        () -> {
          throw new IllegalStateException("full");
        });

    cleanup.stop(e -> done.add(e.getMessage()));

    assertThat(done).containsExactly("full", "directory");
  }

  @Test
  void workIsToldToStopAndWaitedFor() throws Exception {
    List<String> order = Collections.synchronizedList(done);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    FutureTask<String> work =
        new FutureTask<>(
            () ->
                cleanup.during(
                    told::countDown,
                    () -> {
                      begun.countDown();
                      awaitLatch(told);
                      order.add("work ended");
                      return "result";
                    }));
    new Thread(work, "work").start();
    begun.await();

    cleanup.stop(e -> order.add("failed"));
    order.add("stopped");

    assertThat(work.get()).isEqualTo("result");
    assertThat(order).containsExactly("work ended", "stopped");
  }

  @Test
  void workThatDoesNotEndIsNotWaitedForForEver() throws Exception {
    Cleanup impatient = new Cleanup(1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    FutureTask<String> work =
        new FutureTask<>(
            () ->
                impatient.during(
                    () -> {},
                    () -> {
                      begun.countDown();
                      awaitLatch(mayEnd);
                      return "result";
                    }));
    impatient.add(() -> done.add("closed under it"));
    new Thread(work, "work").start();
    begun.await();

    impatient.stop(e -> done.add("failed"));

    assertThat(work.isDone()).isFalse();
    assertThat(done).containsExactly("closed under it");
    mayEnd.countDown();
    assertThat(work.get()).isEqualTo("result");
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void workThatHasEndedIsNotToldAnything() {
    assertThat(cleanup.during(() -> done.add("told"), () -> "result")).isEqualTo("result");

    cleanup.stop(e -> done.add("failed"));

    assertThat(done).isEmpty();
  }

  @Test
  void noWorkBeginsTooLate() {
    cleanup.stop(e -> done.add("failed"));

    assertThatThrownBy(() -> cleanup.during(() -> {}, () -> done.add("late")))
        .isInstanceOf(CancellationException.class);
    assertThat(done).isEmpty();
  }

  @Test
  void whatIsOpenedTooLateIsClosedAtOnce() {
    cleanup.stop(e -> done.add("failed"));

    cleanup.add(() -> done.add("late"));

    assertThat(done).containsExactly("late");
  }
}
