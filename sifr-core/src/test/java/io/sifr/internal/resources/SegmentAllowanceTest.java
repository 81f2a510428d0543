package io.sifr.internal.resources;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentAllowanceTest {
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private long now;

  private static final class Keeper implements SegmentAllowance.Keeper {
    private int asked;

    @Override
    public void deleteSoon() {
      asked++;
    }
  }

  /** The clock of a JVM may have any value, and run over. */
  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - 5})
  void theOneThatIsIdleForLongestIsAskedToDelete(long start) {
    now = start;
    SegmentAllowance allowance = new SegmentAllowance(100, () -> now);
    Keeper idle = new Keeper();
    Keeper lessIdle = new Keeper();
    Keeper busy = new Keeper();
    assertThat(allowance.take(idle, 40)).isTrue();
    now += 10;
    assertThat(allowance.take(lessIdle, 40)).isTrue();
    now += MINUTE - 11;
    assertThat(allowance.take(busy, 40)).isFalse();
    assertThat(idle.asked).isZero();
    now += 1;
    assertThat(allowance.take(busy, 20)).isTrue();
    assertThat(allowance.take(busy, 1)).isFalse();
    assertThat(idle.asked).isEqualTo(1);
    assertThat(allowance.bytes()).isEqualTo(100);
    allowance.giveBack(idle, 40);
    assertThat(allowance.take(busy, 40)).isTrue();
    assertThat(allowance.take(busy, 1)).isFalse();
    assertThat(lessIdle.asked).isZero();
    now += MINUTE;
    assertThat(allowance.take(busy, 1)).isFalse();
    assertThat(lessIdle.asked).isEqualTo(1);
    assertThat(busy.asked).isZero();
  }

  /** A segment that is reused is a sign of life, too. */
  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - 5})
  void oneThatReusesItsSegmentsIsNotIdle(long start) {
    now = start;
    SegmentAllowance allowance = new SegmentAllowance(100, () -> now);
    Keeper reusing = new Keeper();
    assertThat(allowance.take(reusing, 50)).isTrue();
    assertThat(allowance.take(reusing, 50)).isTrue();
    now += MINUTE;
    allowance.giveBack(reusing, 50);
    assertThat(allowance.take(new Keeper(), 60)).isFalse();
    assertThat(reusing.asked).isZero();
    assertThat(allowance.take(new Keeper(), 50)).isTrue();
  }
}
