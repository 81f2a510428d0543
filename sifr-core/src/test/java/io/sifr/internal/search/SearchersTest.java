package io.sifr.internal.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.event.Metric;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.testing.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SearchersTest {
  private final ReadEpochs epochs = new ReadEpochs();

  /**
   * A merge has let go of a file before the search is handed over, and waits for those who were
   * inside then: for the caller, and so for the searcher that goes on with what the caller found.
   */
  @Test
  void whatIsHandedOverLateIsInsideLikeItsCaller() {
    CountDownLatch gate = new CountDownLatch(1);
    AtomicBoolean disposed = new AtomicBoolean();
    AtomicReference<Boolean> seen = new AtomicReference<>();
    try (SearchThreads threads = new SearchThreads(2)) {
      Searchers searchers = new Searchers(threads, epochs);
      int ticket = epochs.enter();
      epochs.retire(() -> disposed.set(true));
      assertThat(epochs.tryDrain()).isFalse();
      Searchers.Search search =
          itsTicket -> {
            awaitUninterruptibly(gate);
            seen.set(disposed.get());
          };
      assertThat(searchers.handOver(search, ticket)).isTrue();
      epochs.exit(ticket);
      assertThat(epochs.tryDrain()).isFalse();
      assertThat(disposed).isFalse();
      gate.countDown();
      epochs.drain();
      assertThat(seen).hasValue(false);
      assertThat(disposed).isTrue();
    }
  }

  private static void awaitUninterruptibly(CountDownLatch gate) {
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void threadsAreMadeWhenTheyAreNeededFirst() {
    AtomicInteger starts = new AtomicInteger();
    List<Runnable> tasks = new ArrayList<>();
    Searchers searchers =
        new Searchers(
            new SearchThreads(
                3,
                count -> {
                  starts.incrementAndGet();
                  assertThat(count).isEqualTo(3);
                  return tasks::add;
                }),
            epochs);
    assertThat(searchers.idle()).isEqualTo(3);
    assertThat(starts).hasValue(0);
    int ticket = epochs.enter();
    assertThat(searchers.handOver(unused -> {}, ticket)).isTrue();
    assertThat(searchers.handOver(unused -> {}, ticket)).isTrue();
    epochs.exit(ticket);
    assertThat(starts).hasValue(1);
    assertThat(searchers.idle()).isEqualTo(1);
    tasks.forEach(Runnable::run);
    assertThat(searchers.idle()).isEqualTo(3);
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isEqualTo(2);
  }

  @Test
  void theyAreNamedDaemonsThatEndWhenTheyAreClosed() {
    AtomicReference<Thread> thread = new AtomicReference<>();
    SearchThreads threads = new SearchThreads(1);
    Searchers searchers = new Searchers(threads, epochs);
    int ticket = epochs.enter();
    assertThat(searchers.handOver(unused -> thread.set(Thread.currentThread()), ticket)).isTrue();
    epochs.exit(ticket);
    Waiting.until("it has run", () -> thread.get() != null);
    Thread searcher = Objects.requireNonNull(thread.get());
    assertThat(searcher.getName()).isEqualTo("sifr-search-1");
    assertThat(searcher.isDaemon()).isTrue();
    threads.close();
    Waiting.until("it has ended", () -> !searcher.isAlive());
  }

  /** What was handed over is done although the pool is shut down meanwhile. */
  @Test
  void closeLosesNothing() {
    CountDownLatch gate = new CountDownLatch(1);
    AtomicInteger done = new AtomicInteger();
    SearchThreads threads = new SearchThreads(1);
    Searchers searchers = new Searchers(threads, epochs);
    int ticket = epochs.enter();
    for (int i = 0; i < 50; i++) {
      assertThat(
              searchers.handOver(
                  unused -> {
                    awaitUninterruptibly(gate);
                    done.incrementAndGet();
                  },
                  ticket))
          .isTrue();
    }
    epochs.exit(ticket);
    threads.close();
    gate.countDown();
    Waiting.until("all are done", () -> done.get() == 50);
    epochs.drain();
  }
}
