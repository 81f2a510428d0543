package io.sifr.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GivingWayTest {
  private long now;

  /** The clock of a JVM may have any value, and run over. */
  @ParameterizedTest
  @ValueSource(longs = {0, -10, Long.MAX_VALUE - 15})
  void asLongAsTheOtherTookItKeepsToItself(long start) {
    now = start;
    GivingWay way = new GivingWay(() -> now);
    assertThat(way.isFree()).isTrue();
    way.give(() -> now += 10);
    now += 9;
    assertThat(way.isFree()).isFalse();
    now += 1;
    assertThat(way.isFree()).isTrue();
    way.give(() -> now += 3);
    now += 2;
    assertThat(way.isFree()).isFalse();
    now += 1;
    assertThat(way.isFree()).isTrue();
  }
}
