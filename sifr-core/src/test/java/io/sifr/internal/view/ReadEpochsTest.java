package io.sifr.internal.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReadEpochsTest {
  private final ReadEpochs epochs = new ReadEpochs();
  private final List<Integer> disposed = new ArrayList<>();

  private void retire(int thing) {
    epochs.retire(() -> disposed.add(thing));
  }

  @Test
  void disposesAtOnceWhenNobodyIsInside() {
    epochs.exit(epochs.enter());
    retire(1);
    assertThat(disposed).containsExactly(1);
    assertThat(epochs.tryDrain()).isTrue();
    epochs.drain();
    assertThat(disposed).containsExactly(1);
  }

  @Test
  void waitsForThoseInsideAndForNobodyElse() {
    int before = epochs.enter();
    retire(1);
    assertThat(epochs.tryDrain()).isFalse();
    int later = epochs.enter();
    assertThat(disposed).isEmpty();
    epochs.exit(before);
    assertThat(disposed).describedAs("no disposal in a reader's exit").isEmpty();
    assertThat(epochs.tryDrain()).isTrue();
    assertThat(disposed).containsExactly(1);
    retire(2);
    assertThat(disposed).containsExactly(1);
    epochs.exit(later);
    assertThat(epochs.tryDrain()).isTrue();
    assertThat(disposed).containsExactly(1, 2);
  }

  @Test
  void waitsForTheOutermostOfNestedSections() {
    int outer = epochs.enter();
    int inner = epochs.enter();
    retire(1);
    epochs.exit(inner);
    assertThat(epochs.tryDrain()).isFalse();
    assertThat(disposed).isEmpty();
    epochs.exit(outer);
    assertThat(epochs.tryDrain()).isTrue();
    assertThat(disposed).containsExactly(1);
  }

  @Test
  void waitsForWhoEnteredBesideAReaderHoweverLate() {
    int first = epochs.enter();
    retire(1);
    assertThat(epochs.tryDrain()).isFalse(); // newcomers count in the other generation by now
    int beside = epochs.enterBeside(first);
    epochs.exit(first);
    assertThat(epochs.tryDrain()).isFalse();
    assertThat(disposed).isEmpty();
    int further = epochs.enterBeside(beside);
    epochs.exit(beside);
    assertThat(epochs.tryDrain()).isFalse();
    assertThat(disposed).isEmpty();
    epochs.exit(further);
    assertThat(epochs.tryDrain()).isTrue();
    assertThat(disposed).containsExactly(1);
  }

  @Test
  void waitsForAReaderThatWasHeldUpBetweenLookingAndCounting() {
    int seen = epochs.generation();
    retire(1);
    assertThat(epochs.generation()).isNotEqualTo(seen);
    int late = epochs.enter(seen);
    retire(2);
    assertThat(epochs.tryDrain()).isFalse();
    assertThat(disposed).containsExactly(1);
    epochs.exit(late);
    assertThat(epochs.tryDrain()).isTrue();
    assertThat(disposed).containsExactly(1, 2);
  }

  @Test
  void getsOnAlthoughReadersOverlapWithoutAGap() {
    int inside = epochs.enter();
    for (int thing = 0; thing < 100; thing++) {
      retire(thing);
      for (int i = 0; i < 3; i++) {
        int next = epochs.enter();
        epochs.exit(inside);
        inside = next;
        boolean none = epochs.tryDrain();
        assertThat(none).isEqualTo(disposed.size() == thing + 1);
      }
      assertThat(disposed).hasSizeGreaterThanOrEqualTo(thing);
    }
    epochs.exit(inside);
    epochs.drain();
    assertThat(disposed).hasSize(100).isSorted();
  }

  @Test
  void aFailingDisposalKeepsNoOtherFromRunning() {
    int ticket = epochs.enter();
    retire(1);
    epochs.retire(
        () -> {
          throw new IllegalArgumentException("cannot delete");
        });
    retire(2);
    epochs.exit(ticket);
    assertThatThrownBy(epochs::drain).hasMessage("cannot delete");
    assertThat(disposed).containsExactly(1, 2);
    epochs.drain();
  }

  @Test
  void aDisposalMayRetireButNotDrain() {
    epochs.retire(() -> retire(1));
    assertThat(epochs.tryDrain()).isTrue();
    assertThat(disposed).containsExactly(1);
    assertThatThrownBy(() -> epochs.retire(epochs::drain))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void drainWaitsForReadersAndKeepsInterrupts() throws Exception {
    int ticket = epochs.enter();
    retire(1);
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread drainer =
        new Thread(
            () -> {
              begun.countDown();
              epochs.drain();
              interrupted.set(Thread.currentThread().isInterrupted());
            },
            "drainer");
    drainer.start();
    begun.await();
    drainer.interrupt();
    epochs.exit(ticket);
    drainer.join();
    assertThat(disposed).containsExactly(1);
    assertThat(interrupted).isTrue();
  }

  @Test
  void drainReadyWaitsForAnotherThreadsDisposalsButNotForReaders() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Thread slow =
        new Thread(
            () ->
                epochs.retire(
                    () -> {
                      begun.countDown();
                      await(goOn);
                      disposed.add(1);
                    }),
            "slow");
    slow.start();
    begun.await();
    retire(2); // not at once: the other thread is at it
    AtomicBoolean noneLeft = new AtomicBoolean();
    Thread waiting = new Thread(() -> noneLeft.set(epochs.drainReady()), "waiting");
    waiting.start();
    while (waiting.getState() != Thread.State.WAITING && waiting.isAlive()) {
      Thread.onSpinWait();
    }
    assertThat(waiting.isAlive()).isTrue();
    goOn.countDown();
    waiting.join();
    slow.join();
    assertThat(disposed).containsExactly(1, 2);
    assertThat(noneLeft).isTrue();

    int ticket = epochs.enter();
    retire(3);
    assertThat(epochs.drainReady()).isFalse();
    epochs.exit(ticket);
    assertThat(epochs.drainReady()).isTrue();
    assertThat(disposed).containsExactly(1, 2, 3);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A thing that is published, replaced and, when nobody can be using it any more, closed. */
  private static final class Thing {
    // Plain on purpose: whoever is inside a section sees it open without any ordering of its own.
    boolean closed;
  }

  private volatile Thing published = new Thing();

  @Test
  void nothingIsDisposedOfUnderAReader() throws Exception {
    AtomicInteger closed = new AtomicInteger();
    int rounds = 200_000;
    CountDownLatch done = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        running.add(
            threads.submit(
                () -> {
                  while (done.getCount() > 0) {
                    int ticket = epochs.enter();
                    Thing thing = published;
                    for (int look = 0; look < 10; look++) {
                      assertThat(thing.closed).isFalse();
                    }
                    epochs.exit(ticket);
                  }
                }));
      }
      running.add(
          threads.submit(
              () -> {
                for (int i = 0; i < rounds; i++) {
                  Thing old = published;
                  published = new Thing();
                  epochs.retire(
                      () -> {
                        old.closed = true;
                        closed.incrementAndGet();
                      });
                }
                epochs.drain();
                done.countDown();
              }));
      for (Future<?> future : running) {
        future.get(2, TimeUnit.MINUTES);
      }
    } finally {
      done.countDown();
      threads.shutdownNow();
    }
    assertThat(closed).hasValue(rounds);
  }
}
