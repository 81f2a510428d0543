package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.TestBackups;
import io.sifr.testing.HeapStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A creation and a deletion in one storage, each at any call of the other. */
@Tag("process")
class BackupInterleavingsTest {
  private final InstantSource clock = () -> Instant.EPOCH;
  private final HeapStorage storage = new HeapStorage(clock, new Random(1));

  @TempDir Path directory;

  private Backups backups() {
    return TestBackups.in(storage, Duration.ofMinutes(1), Duration.ofMinutes(30), clock);
  }

  /**
   * The one begins and waits at one of its calls, the other comes to one of its own and waits; the
   * first goes on to its end, and then the other.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bothMayBeAtAnyOfTheirCalls(boolean creationBegins) throws InterruptedException {
    try (Store store = filled()) {
      int mostOfFirst = 1000;
      for (int ofFirst = 0; ofFirst < mostOfFirst; ofFirst++) {
        int mostOfSecond = 1000;
        for (int ofSecond = 0; ofSecond < mostOfSecond; ofSecond++) {
          long old = backups().create(store).number();
          SmallStores.fill(store.database(), 0, 1, ofSecond); // something is new in each
          store.flush();
          AtomicLong made = new AtomicLong();
          Runnable creation = () -> made.set(backups().create(store).number());
          Runnable deletion =
              () -> {
                backups().delete(old);
                backups().deleteUnfinished();
              };
          Interleaving both =
              creationBegins
                  ? new Interleaving(creation, ofFirst, deletion, ofSecond)
                  : new Interleaving(deletion, ofFirst, creation, ofSecond);
          storage.beforeEachCall(call -> both.reached());
          both.run();
          storage.beforeEachCall(call -> {});
          if (!both.hasSecondWaited()) {
            mostOfSecond = ofSecond;
          }
          if (!both.hasFirstWaited()) {
            mostOfSecond = 0;
            mostOfFirst = ofFirst;
          }
          assertThat(backups().numbers())
              .as("calls %d and %d", ofFirst, ofSecond)
              .containsExactly(made.get());
          backups().verify(made.get(), Backups.Progress.NONE);
          backups().delete(made.get());
        }
      }
      assertThat(mostOfFirst).isBetween(10, 999);
      assertThat(storage.names()).hasSize(2);
    }
  }

  /** Two threads, each of which waits once for the other. */
  private static final class Interleaving {
    private final Runnable first;
    private final Runnable second;
    private final AtomicInteger callsOfFirst;
    private final AtomicInteger callsOfSecond;
    private final CountDownLatch firstWaits = new CountDownLatch(1);
    private final CountDownLatch secondWaits = new CountDownLatch(1);
    private final CountDownLatch firstEnded = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicReference<@Nullable Thread> threadOfFirst = new AtomicReference<>();

    Interleaving(Runnable first, int callsOfFirst, Runnable second, int callsOfSecond) {
      this.first = first;
      this.callsOfFirst = new AtomicInteger(callsOfFirst);
      this.second = second;
      this.callsOfSecond = new AtomicInteger(callsOfSecond);
    }

    boolean hasFirstWaited() {
      return callsOfFirst.get() < 0;
    }

    boolean hasSecondWaited() {
      return callsOfSecond.get() < 0;
    }

    /** Called before each call of either. */
    void reached() {
      if (Thread.currentThread().equals(threadOfFirst.get())) {
        if (callsOfFirst.getAndDecrement() == 0) {
          firstWaits.countDown();
          await(secondWaits);
        }
      } else if (callsOfSecond.getAndDecrement() == 0) {
        secondWaits.countDown();
        await(firstEnded);
      }
    }

    private static void await(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    void run() throws InterruptedException {
      Thread running =
          new Thread(
              () -> {
                try {
                  first.run();
                } catch (RuntimeException | Error e) {
                  failure.set(e);
                } finally {
                  firstWaits.countDown();
                  firstEnded.countDown();
                }
              });
      threadOfFirst.set(running);
      running.start();
      await(firstWaits);
      try {
        second.run();
      } finally {
        secondWaits.countDown();
        running.join();
      }
      assertThat(failure.get()).isNull();
    }
  }

  private Store filled() {
    Store store = SmallStores.open(directory.resolve("store"));
    SmallStores.fill(store.database(), 0, 500, 1);
    store.flush();
    store.awaitIdle();
    return store;
  }
}
