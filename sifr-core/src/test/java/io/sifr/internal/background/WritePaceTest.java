package io.sifr.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WritePaceTest {
  private long millis;

  private long now() {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  void aPauseIsAsLongAsWhatWasWrittenTakes() {
    WritePace pace = new WritePace(1000, this::now);
    assertThat(pace.pauseNanos(0)).isZero();
    assertThat(pace.pauseNanos(500)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(500));
    millis = 200;
    assertThat(pace.pauseNanos(500)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(300));
    assertThat(pace.pauseNanos(600)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(400));
    millis = 600;
    assertThat(pace.pauseNanos(600)).isZero();
  }

  /** Else it would write as fast as it can after it was paused for an hour. */
  @Test
  void whatCouldHaveBeenWrittenIsNotCaughtUpOn() {
    WritePace pace = new WritePace(1000, this::now);
    millis = 3_600_000;
    assertThat(pace.pauseNanos(0)).isZero();
    assertThat(pace.pauseNanos(500)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(500));
  }
}
