package io.sifr.internal.resources;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.testing.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SpinWaitTest {
  private static final long FOR_EVER = Long.MAX_VALUE;

  private final SpinWait<Integer> waiting = new SpinWait<>();

  @Test
  void noOfferIsTakenWhereNoThreadSpins() {
    assertThat(waiting.offer(1)).isFalse();
    assertThat(waiting.await(0, () -> false)).isNull();
    assertThat(waiting.offer(1)).isFalse();
    assertThat(waiting.count()).isZero();
  }

  @Test
  void aSpinningThreadTakesOneOffer() throws Exception {
    FutureTask<Integer> spinner = new FutureTask<>(() -> waiting.await(FOR_EVER, () -> false));
    new Thread(spinner, "spinner").start();
    Waiting.until("it spins", () -> waiting.count() == 1);
    assertThat(waiting.offer(7)).isTrue();
    assertThat(waiting.offer(8)).isFalse();
    assertThat(spinner.get()).isEqualTo(7);
  }

  @Test
  void aThreadWantedElsewhereStops() {
    assertThat(waiting.await(FOR_EVER, () -> true)).isNull();
    assertThat(waiting.count()).isZero();
  }

  /** Threads come and go all the time meanwhile. */
  @Test
  void eachOfferIsTakenOnce() throws Exception {
    int givers = 2;
    int each = 50_000;
    AtomicBoolean ending = new AtomicBoolean();
    List<FutureTask<Integer>> spinners = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      FutureTask<Integer> spinner =
          new FutureTask<>(
              () -> {
                int sum = 0;
                while (!ending.get()) {
                  Integer one = waiting.await(1_000, () -> false);
                  if (one != null) {
                    sum += one;
                  }
                }
                return sum;
              });
      spinners.add(spinner);
      new Thread(spinner, "spinner-" + i).start();
    }
    List<FutureTask<Integer>> giving = new ArrayList<>();
    for (int giverNumber = 0; giverNumber < givers; giverNumber++) {
      FutureTask<Integer> giver =
          new FutureTask<>(
              () -> {
                int given = 0;
                for (int i = 0; i < each; i++) {
                  int one = i % 100;
                  given += waiting.offer(one) ? one : 0;
                }
                return given;
              });
      giving.add(giver);
      new Thread(giver, "giver-" + giverNumber).start();
    }
    int given = 0;
    for (FutureTask<Integer> giver : giving) {
      given += giver.get();
    }
    ending.set(true);
    int received = 0;
    for (FutureTask<Integer> spinner : spinners) {
      received += spinner.get();
    }
    assertThat(received).isEqualTo(given);
    assertThat(waiting.count()).isZero();
  }

  @Test
  void rarelySpinsWhereItIsAlwaysUseless() {
    AtomicInteger tries = new AtomicInteger();
    for (int i = 0; i < 10_000; i++) {
      assertThat(waiting.await(0, () -> tries.incrementAndGet() < 0)).isNull();
    }
    assertThat(tries.get()).isBetween(100, 2_000);
  }
}
