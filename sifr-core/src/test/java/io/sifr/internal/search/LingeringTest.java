package io.sifr.internal.search;

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
class LingeringTest {
  private static final long FOR_EVER = Long.MAX_VALUE;

  private final Lingering<Integer> lingering = new Lingering<>();

  @Test
  void nothingIsGivenWhereNobodyLingers() {
    assertThat(lingering.give(1)).isFalse();
    assertThat(lingering.await(0, () -> false)).isNull();
    assertThat(lingering.give(1)).isFalse();
    assertThat(lingering.count()).isZero();
  }

  @Test
  void whoLingersIsGivenOneThing() throws Exception {
    FutureTask<Integer> lingerer = new FutureTask<>(() -> lingering.await(FOR_EVER, () -> false));
    new Thread(lingerer, "lingerer").start();
    Waiting.until("it lingers", () -> lingering.count() == 1);
    assertThat(lingering.give(7)).isTrue();
    assertThat(lingering.give(8)).isFalse();
    assertThat(lingerer.get()).isEqualTo(7);
  }

  @Test
  void whoIsWantedElsewhereGoes() {
    assertThat(lingering.await(FOR_EVER, () -> true)).isNull();
    assertThat(lingering.count()).isZero();
  }

  /** Threads come and go all the time meanwhile. */
  @Test
  void whatIsGivenIsTakenOnce() throws Exception {
    int givers = 2;
    int each = 50_000;
    AtomicBoolean ending = new AtomicBoolean();
    List<FutureTask<Integer>> lingerers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      FutureTask<Integer> lingerer =
          new FutureTask<>(
              () -> {
                int sum = 0;
                while (!ending.get()) {
                  Integer one = lingering.await(1_000, () -> false);
                  if (one != null) {
                    sum += one;
                  }
                }
                return sum;
              });
      lingerers.add(lingerer);
      new Thread(lingerer, "lingerer-" + i).start();
    }
    List<FutureTask<Integer>> giving = new ArrayList<>();
    for (int giverNumber = 0; giverNumber < givers; giverNumber++) {
      FutureTask<Integer> giver =
          new FutureTask<>(
              () -> {
                int given = 0;
                for (int i = 0; i < each; i++) {
                  int one = i % 100;
                  given += lingering.give(one) ? one : 0;
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
    for (FutureTask<Integer> lingerer : lingerers) {
      received += lingerer.get();
    }
    assertThat(received).isEqualTo(given);
    assertThat(lingering.count()).isZero();
  }

  @Test
  void whereItIsAlwaysInVainItIsRarelyTried() {
    AtomicInteger tries = new AtomicInteger();
    for (int i = 0; i < 10_000; i++) {
      assertThat(lingering.await(0, () -> tries.incrementAndGet() < 0)).isNull();
    }
    assertThat(tries.get()).isBetween(100, 2_000);
  }
}
