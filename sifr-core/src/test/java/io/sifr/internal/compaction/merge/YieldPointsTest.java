package io.sifr.internal.compaction.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.compaction.merge.TaskEnvironment.YieldPoints;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who waits at a yield point decides how fast a task writes, so it must not be far to the next. */
class YieldPointsTest {
  private final AtomicInteger yields = new AtomicInteger();
  private final YieldPoints points = new YieldPoints(yields::incrementAndGet);

  private int yieldsAfter(int entries, int bytes) {
    for (int i = 0; i < entries; i++) {
      points.entry(bytes);
    }
    return yields.get();
  }

  @Test
  void afterFourThousandEntriesWithoutBytes() {
    assertThat(yieldsAfter(4095, 0)).isZero();
    assertThat(yieldsAfter(1, 0)).isEqualTo(1);
    assertThat(yieldsAfter(4096, 0)).isEqualTo(2);
  }

  @Test
  void afterHalfAMebibyteOfLargerOnes() {
    assertThat(yieldsAfter(8, 64 << 10)).isEqualTo(1);
  }

  @Test
  void afterEachThatIsLargerThanThat() {
    assertThat(yieldsAfter(3, (512 << 20) + (64 << 10))).isEqualTo(3);
  }
}
