package io.sifr.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class BackpressureTest {
  private final Backpressure backpressure = new Backpressure(4, 4);

  @Test
  void aNormalBacklogCostsNothing() {
    for (int immutables = 0; immutables <= 2; immutables++) {
      for (int trees = 0; trees <= 12; trees++) {
        assertThat(backpressure.pressure(immutables, trees)).isZero();
      }
    }
    assertThat(backpressure.charge(1 << 30, 0)).isZero();
  }

  @Test
  void pressureGrowsWithTheBacklogUpToOne() {
    assertThat(backpressure.pressure(3, 0)).isCloseTo(0.5, within(1e-9));
    assertThat(backpressure.pressure(4, 0)).isEqualTo(1);
    assertThat(backpressure.pressure(9, 0)).isEqualTo(1);
    assertThat(backpressure.pressure(0, 30)).isCloseTo(0.5, within(1e-9));
    assertThat(backpressure.pressure(0, 48)).isEqualTo(1);
    assertThat(backpressure.pressure(0, 480)).isEqualTo(1);
    assertThat(backpressure.pressure(3, 48)).isEqualTo(1);
    assertThat(new Backpressure(1, 2).pressure(1, 0)).isEqualTo(1);
    assertThat(new Backpressure(1, 2).pressure(0, 0)).isZero();
  }

  @Test
  void smallDelaysAreCollectedUntilTheyAreWorthASleep() {
    long charged = 0;
    int pauses = 0;
    for (int i = 0; i < 1000; i++) {
      long pause = backpressure.charge(100, 1);
      charged += pause;
      pauses += pause > 0 ? 1 : 0;
    }
    assertThat(pauses).isEqualTo(100);
    assertThat(charged).isEqualTo((long) (100_000 * Backpressure.SLOWEST_NANOS_PER_BYTE));
  }

  @Test
  void theDelayGrowsWithTheSquare() {
    assertThat(backpressure.charge(1 << 20, 1)).isEqualTo(16 * backpressure.charge(1 << 20, 0.25));
  }

  @Test
  void whatIsOwedIsForgivenWhenTheBacklogIsGone() {
    assertThat(backpressure.charge(900, 1)).isZero();
    assertThat(backpressure.charge(1, 0)).isZero();
    assertThat(backpressure.charge(900, 1)).isZero();
    assertThat(backpressure.charge(200, 1)).isPositive();
  }

  @Test
  void aPauseIsNotCutShortByAnInterruptAndKeepsIt() {
    Thread.currentThread().interrupt();
    long start = System.nanoTime();
    Backpressure.pause(3_000_000);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(3_000_000);
    assertThat(Thread.interrupted()).isTrue();
  }
}
