package io.sifr.internal.compaction.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WritePaceTest {
  private long millis;

  private long now() {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private static void assertPause(Pace.OfWrites pace, long millis) {
    assertThat(pace.pauseNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void aPauseIsAsLongAsWhatWasWrittenTakes() {
    Pace.OfWrites pace = new Pace.OfWrites(1000, this::now);
    assertPause(pace, 0);
    pace.wrote(500);
    assertPause(pace, 500);
    millis = 200;
    assertPause(pace, 300);
    pace.wrote(100);
    assertPause(pace, 400);
    millis = 600;
    assertPause(pace, 0);
  }

  /** Else it would write as fast as it can after it was paused for an hour. */
  @Test
  void whatCouldHaveBeenWrittenIsNotCaughtUpOn() {
    Pace.OfWrites pace = new Pace.OfWrites(1000, this::now);
    millis = 3_600_000;
    assertThat(pace.pauseNanos()).isNegative();
    pace.wrote(500);
    assertPause(pace, 500);
  }

  /**
   * Each of three that write at will, and pause as they are told, on one clock. At any moment they
   * have written no more than the pace and one piece of each.
   */
  @Test
  void severalWritersKeepOnePaceTogether() {
    Pace.OfWrites pace = new Pace.OfWrites(1_000_000, this::now);
    int[] pieces = {64_000, 256_000, 7_000};
    long[] goesOnAt = new long[pieces.length];
    long written = 0;
    for (millis = 0; millis < 100_000; millis++) {
      for (int i = 0; i < pieces.length; i++) {
        if (millis >= goesOnAt[i]) {
          pace.wrote(pieces[i]);
          written += pieces[i];
          goesOnAt[i] = millis + Math.max(0, TimeUnit.NANOSECONDS.toMillis(pace.pauseNanos()));
        }
      }
      assertThat(written).isLessThanOrEqualTo(millis * 1000 + 64_000 + 256_000 + 7_000);
    }
    assertThat(written).isGreaterThan(99_000_000);
  }

  @Test
  void theLongestPauseIsNotNegative() {
    Pace.OfWrites pace = new Pace.OfWrites(1, this::now);
    for (int i = 0; i < 10; i++) {
      pace.wrote(Integer.MAX_VALUE);
      assertThat(pace.pauseNanos()).isPositive();
    }
  }
}
