package io.sifr.internal.compaction.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.compaction.run.Pace.YieldBudget;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class YieldBudgetTest {
  private long now;

  /** The clock of a JVM may have any value, and run over. */
  @ParameterizedTest
  @ValueSource(longs = {0, -10, Long.MAX_VALUE - 15})
  void asLongAsTheOtherTookItKeepsToItself(long start) {
    now = start;
    YieldBudget yielding = new YieldBudget(() -> now);
    assertThat(yielding.mayYield()).isTrue();
    yielding.yieldTo(() -> now += 10);
    now += 9;
    assertThat(yielding.mayYield()).isFalse();
    now += 1;
    assertThat(yielding.mayYield()).isTrue();
    yielding.yieldTo(() -> now += 3);
    now += 2;
    assertThat(yielding.mayYield()).isFalse();
    now += 1;
    assertThat(yielding.mayYield()).isTrue();
  }
}
