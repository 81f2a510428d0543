package io.sifr.internal.resources;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.resources.CompactionThreads.Turn;
import io.sifr.testing.Waiting;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CompactionThreadsTest {
  private final AtomicInteger ordered = new AtomicInteger();
  private final ThreadPoolExecutor pool =
      new ThreadPoolExecutor(0, 100, 60, TimeUnit.SECONDS, new SynchronousQueue<>()) {
        @Override
        public void execute(Runnable task) {
          ordered.incrementAndGet();
          super.execute(task);
        }
      };
  private final List<String> done = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger mostRunning = new AtomicInteger();
  private final CountDownLatch offered = new CountDownLatch(1);
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch mayGoOn = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  @AfterEach
  void endThreads() {
    pool.shutdownNow();
  }

  /** A store with compactions of certain sizes, which it runs in this order. */
  private final class Store implements CompactionThreads.Source {
    private record Due(long bytes, Consumer<Turn> work) {}

    private final CompactionThreads threads;
    private final Deque<Due> due = new ArrayDeque<>(); // guarded by this
    private int asked; // guarded by this
    private boolean isBusy; // guarded by this

    Store(CompactionThreads threads) {
      this.threads = threads;
    }

    Store with(long bytes, Consumer<Turn> work) {
      synchronized (this) {
        due.add(new Due(bytes, work));
      }
      return this;
    }

    Store with(long bytes, String name) {
      return with(bytes, turn -> end(name));
    }

    /** A large one that lends its turn to a small one, once. */
    Store withLender() {
      return withLarge(
          turn -> {
            lend(turn, 50);
            end("large");
          });
    }

    /** A large one that goes on when others have been offered, too. */
    Store withLarge(Consumer<Turn> work) {
      return with(
          100,
          turn -> {
            await(offered);
            work.accept(turn);
          });
    }

    /** It has as many threads as it may have. */
    synchronized Store busy() {
      isBusy = true;
      return this;
    }

    void offer() {
      threads.changed(this);
    }

    synchronized int asked() {
      return asked;
    }

    @Override
    public synchronized long smallestWaiting() {
      return due.stream().mapToLong(Due::bytes).min().orElse(Long.MAX_VALUE);
    }

    @Override
    public synchronized boolean isWaiting() {
      return !isBusy && !due.isEmpty();
    }

    @Override
    public synchronized @Nullable Consumer<Turn> take(long mostBytes) {
      asked++;
      for (Due next : due) {
        if (next.bytes <= mostBytes) {
          due.remove(next);
          return next.work;
        }
      }
      return null;
    }
  }

  private void run(Runnable work) {
    mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
    work.run();
    running.decrementAndGet();
  }

  /** Offers one for which there is no turn now. */
  private void offerWithoutTurn(Store store) {
    int before = ordered.get();
    store.offer();
    assertThat(ordered).hasValue(before);
  }

  private void hold() {
    begun.countDown();
    await(mayEnd);
  }

  private void end(String name) {
    run(() -> done.add(name));
  }

  /** Offers many small ones: were there a turn too many, it would show. */
  private void offerMany(CompactionThreads threads) {
    int before = done.size();
    for (int i = 0; i < 20; i++) {
      new Store(threads).with(1, "more").with(1, "more").offer();
    }
    Waiting.until("all are done", () -> done.size() == before + 40);
    assertThat(mostRunning).hasValue(1);
  }

  /** Lends the turn until it is back. */
  private static void lend(Turn turn, long mostBytes) {
    CountDownLatch back = new CountDownLatch(1);
    turn.lend(
        mostBytes,
        back::countDown,
        isBack -> {
          await(back);
          assertThat(isBack.getAsBoolean()).isTrue();
        });
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void waitUntilDone(String... names) {
    Waiting.until("all are done", () -> done.size() == names.length);
    assertThat(done).containsExactly(names);
  }

  @Test
  void onlySoManyCompactAtATimeAndAllThreadsAreUsed() {
    CompactionThreads threads = new CompactionThreads(3, pool);
    CountDownLatch three = new CountDownLatch(3);
    for (int i = 0; i < 5; i++) {
      Store store = new Store(threads);
      for (int j = 0; j < 10; j++) {
        store.with(
            1,
            turn ->
                run(
                    () -> {
                      three.countDown();
                      await(three);
                      done.add("one");
                    }));
      }
      store.offer();
    }
    Waiting.until("all are done", () -> done.size() == 50);
    assertThat(mostRunning).hasValue(3);
  }

  @Test
  void storesTakeTurns() {
    CompactionThreads threads = new CompactionThreads(1, pool);
    new Store(threads).with(1, turn -> hold()).with(1, "a1").with(1, "a2").offer();
    await(begun);
    new Store(threads).with(9, "b1").with(9, "b2").with(9, "b3").offer();
    mayEnd.countDown();
    waitUntilDone("a1", "b1", "a2", "b2", "b3");
  }

  @Test
  void aSmallerOneRunsInPlaceOfALargeOne() {
    CompactionThreads threads = new CompactionThreads(1, pool);
    Store large =
        new Store(threads)
            .withLarge(
                turn -> {
                  assertThat(turn.isWaiting(9)).isFalse();
                  assertThat(turn.isWaiting(10)).isTrue();
                  lend(turn, 50);
                  assertThat(turn.isWaiting(50)).isFalse();
                  lend(turn, 50); // nothing that small is left
                  end("large");
                });
    large.offer();
    Store other = new Store(threads).with(60, "other").with(10, "small");
    other.offer();
    offered.countDown();
    waitUntilDone("small", "large", "other");
    assertThat(mostRunning).hasValue(1);
  }

  @Test
  void aSmallerOneRunsAlsoIfItsStoreHasNoThreadLeft() {
    CompactionThreads threads = new CompactionThreads(1, pool);
    new Store(threads).withLender().offer();
    new Store(threads).with(10, "small").busy().offer();
    offered.countDown();
    waitUntilDone("small", "large");
    assertThat(mostRunning).hasValue(1);
  }

  /** While it waits for the smaller one, others use the turns there are. */
  @Test
  void theLargeOneHasNoTurnMeanwhile() {
    CompactionThreads threads = new CompactionThreads(2, pool);
    new Store(threads).withLender().offer();
    new Store(threads).with(100, turn -> await(mayGoOn)).offer();
    new Store(threads).with(10, turn -> hold()).offer();
    offered.countDown();
    await(begun);
    mayGoOn.countDown();
    new Store(threads).with(100, "other").offer();
    waitUntilDone("other");
    mayEnd.countDown();
    waitUntilDone("other", "large");
  }

  /** For instance because its store is closed: there is one more for a moment, and not for good. */
  @Test
  void theLargeOneMayGoOnBeside() {
    CompactionThreads threads = new CompactionThreads(1, pool);
    CountDownLatch largeEnded = new CountDownLatch(1);
    Store large =
        new Store(threads)
            .withLarge(
                turn -> {
                  turn.lend(50, () -> {}, isBack -> {});
                  done.add("large");
                })
            .with(100, turn -> largeEnded.countDown());
    large.offer();
    Store small =
        new Store(threads)
            .with(
                10,
                turn ->
                    run(
                        () -> {
                          await(mayEnd);
                          done.add("small");
                        }));
    small.offer();
    offered.countDown();
    Waiting.until("the large one has ended", () -> done.contains("large"));
    assertThat(largeEnded.getCount()).isEqualTo(1); // the small one has the turn
    mayEnd.countDown();
    await(largeEnded);
    offerMany(threads);
  }

  @Test
  void oneThatIsPausedLeavesItsTurnToOthers() {
    CompactionThreads threads = new CompactionThreads(1, pool);
    Store paused =
        new Store(threads)
            .with(
                100,
                turn -> {
                  turn.pauseFor(() -> await(mayGoOn));
                  hold();
                  end("paused");
                });
    paused.offer();
    new Store(threads).with(100, "other").with(100, "another").offer();
    waitUntilDone("other", "another");
    mayGoOn.countDown();
    await(begun);
    offerWithoutTurn(new Store(threads).with(100, "last"));
    mayEnd.countDown();
    waitUntilDone("other", "another", "paused", "last");
    assertThat(mostRunning).hasValue(1);
  }

  /** What runs in place of another is paused: the other goes on, and later both have a turn. */
  @Test
  void oneThatIsPausedInPlaceOfAnotherGivesTheTurnBack() {
    CompactionThreads threads = new CompactionThreads(1, pool);
    new Store(threads).withLender().offer();
    new Store(threads)
        .with(
            10,
            turn -> {
              turn.pauseFor(() -> await(mayGoOn));
              end("paused");
            })
        .offer();
    offered.countDown();
    waitUntilDone("large");
    new Store(threads).with(1, "other").offer();
    waitUntilDone("large", "other");
    mayGoOn.countDown();
    waitUntilDone("large", "other", "paused");
    offerMany(threads);
  }

  /** A thread that cannot be had is asked for again; what runs in place of another needs none. */
  @Test
  void threadsMayBeRefused() {
    AtomicBoolean refuses = new AtomicBoolean(true);
    ExecutorService scarce =
        new ThreadPoolExecutor(0, 10, 1, TimeUnit.SECONDS, new SynchronousQueue<>()) {
          @Override
          public void execute(Runnable task) {
            if (refuses.get()) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            super.execute(task);
          }
        };
    CompactionThreads threads = new CompactionThreads(1, scarce);
    Store large =
        new Store(threads)
            .withLarge(
                turn -> {
                  turn.lend(50, () -> {}, isOver -> assertThat(isOver.getAsBoolean()).isTrue());
                  end("large");
                });
    large.offer();
    refuses.set(false);
    large.offer();
    Waiting.until("it has begun", () -> !large.isWaiting());
    refuses.set(true);
    new Store(threads).with(10, "small").offer();
    offered.countDown();
    waitUntilDone("small", "large");
    scarce.shutdownNow();
  }

  /** Their disk hangs: others compact meanwhile, and when they go on, no more than before. */
  @Test
  void threadsThatGiveNoSignOfLifeDoNotCount() {
    AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1); // the clock of a JVM may run over
    CompactionThreads threads = new CompactionThreads(1, pool, now::get);
    CountDownLatch goesOn = new CountDownLatch(1);
    AtomicBoolean ends = new AtomicBoolean();
    new Store(threads)
        .with(
            100,
            turn -> {
              begun.countDown();
              await(mayGoOn);
              while (!ends.get()) {
                turn.isWaiting(1); // as at yield points
                goesOn.countDown();
              }
              done.add("hanging");
            })
        .offer();
    await(begun);
    Store other = new Store(threads).with(100, "other");
    offerWithoutTurn(other);
    now.addAndGet(TimeUnit.SECONDS.toNanos(10) - 1);
    offerWithoutTurn(other);
    now.addAndGet(1);
    other.offer();
    waitUntilDone("other");
    Store held = new Store(threads).with(1, turn -> await(mayEnd));
    held.offer();
    Waiting.until("it has begun", () -> !held.isWaiting());
    mayGoOn.countDown();
    await(goesOn);
    mayEnd.countDown();
    Waiting.until("one thread is left", () -> pool.getActiveCount() == 1);
    offerWithoutTurn(new Store(threads).with(100, "last"));
    ends.set(true);
    waitUntilDone("other", "hanging", "last");
  }

  /** What hangs in place of another gives the turn back. */
  @Test
  void aThreadDoesNotWaitForOneThatGivesNoSignOfLife() {
    AtomicLong now = new AtomicLong();
    CompactionThreads threads = new CompactionThreads(1, pool, now::get);
    CountDownLatch hangs = new CountDownLatch(1);
    new Store(threads).withLender().offer();
    new Store(threads)
        .with(
            10,
            turn -> {
              hangs.countDown();
              await(mayGoOn);
              done.add("hanging");
            })
        .offer();
    offered.countDown();
    await(hangs);
    now.addAndGet(TimeUnit.SECONDS.toNanos(10));
    new Store(threads).with(60, "other").offer();
    waitUntilDone("large", "other");
    mayGoOn.countDown();
    waitUntilDone("large", "other", "hanging");
  }

  /** A store takes its offer back when it is closed. */
  @Test
  void whatIsTakenBackIsForgotten() {
    CompactionThreads threads = new CompactionThreads(1, pool);
    AtomicBoolean isWaiting = new AtomicBoolean(true);
    Store busy =
        new Store(threads)
            .with(
                100,
                turn -> {
                  hold();
                  isWaiting.set(turn.isWaiting(50));
                  done.add("busy");
                });
    busy.offer();
    await(begun);
    Store closed = new Store(threads).with(1, "closed");
    closed.offer();
    assertThat(closed.take(1)).isNotNull();
    closed.offer();
    mayEnd.countDown();
    waitUntilDone("busy");
    Waiting.until("the thread has ended", () -> pool.getActiveCount() == 0);
    assertThat(isWaiting).isFalse();
    assertThat(closed.asked()).isEqualTo(1);
  }
}
