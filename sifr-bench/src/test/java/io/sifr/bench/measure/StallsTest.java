package io.sifr.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StallsTest {
  private final Stalls stalls = new Stalls();

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  void withoutLongOperationsThereIsNone() {
    Stalls.Notes notes = stalls.addClient();
    notes.ran(0, 1000);
    assertThat(stalls.longestNanos()).isZero();
  }

  @Test
  void ofOneClientItIsTheLongestOperation() {
    Stalls.Notes notes = stalls.addClient();
    notes.ran(0, millis(1));
    notes.ran(millis(1), millis(5));
    notes.ran(millis(5), millis(7));
    assertThat(stalls.longestNanos()).isEqualTo(millis(4));
  }

  @Test
  void ofSeveralItIsTheLongestTimeInWhichNoneCompletesOne() {
    Stalls.Notes first = stalls.addClient();
    Stalls.Notes second = stalls.addClient();
    first.ran(millis(0), millis(10));
    second.ran(millis(4), millis(20));
    first.ran(millis(19), millis(30));
    assertThat(stalls.longestNanos()).isEqualTo(millis(6));
  }

  @Test
  void ifOneNeverStoppedThereIsNone() {
    Stalls.Notes first = stalls.addClient();
    stalls.addClient();
    first.ran(millis(0), millis(10));
    assertThat(stalls.longestNanos()).isZero();
  }
}
