package io.sifr.internal.util;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OwedTimeTest {
  private long now = 7;
  private final OwedTime owed = new OwedTime(() -> now);

  @Test
  void addsUpAndPasses() {
    assertThat(owed.leftNanos()).isZero();
    owed.add(5);
    owed.add(6);
    assertThat(owed.leftNanos()).isEqualTo(11);
    now += 4;
    assertThat(owed.leftNanos()).isEqualTo(7);
  }

  @Test
  void timeInWhichNothingIsOwedIsNoCredit() {
    now += 100;
    owed.add(5);
    assertThat(owed.leftNanos()).isEqualTo(5);
  }

  @Test
  void isForgiven() {
    owed.add(5);
    owed.forgive();
    assertThat(owed.leftNanos()).isZero();
  }

  @Test
  void muchIsNotNegative() {
    for (int i = 0; i < 10; i++) {
      owed.add(Long.MAX_VALUE);
      assertThat(owed.leftNanos()).isPositive();
    }
  }
}
