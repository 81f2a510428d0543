package io.sifr.internal.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.background.WorkMonitor.Attempts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttemptsTest {
  private static final Path FILE = Path.of("some.sst");

  private final Attempts attempts = new Attempts();
  private final StoreIoException failure =
      new StoreIoException(FILE, "create", new IOException("Too many open files"));
  private final StoreFullException full =
      new StoreFullException(FILE, "write", new IOException("No space left on device"));

  @Test
  void pausesGrowToFiveSeconds() {
    List<Long> pauses = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      pauses.add(attempts.failed(failure));
    }
    assertThat(pauses.subList(0, 8))
        .containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L);
    assertThat(pauses.subList(8, 100)).containsOnly(5000L);
  }

  @Test
  void aSuccessBeginsAnew() {
    attempts.failed(failure);
    attempts.failed(failure);
    assertThat(attempts.succeeded()).isEqualTo(2);
    assertThat(attempts.succeeded()).isZero();
    assertThat(attempts.isPausing()).isFalse();
    assertThat(attempts.isNews(failure)).isTrue();
    assertThat(attempts.failed(failure)).isEqualTo(100);
  }

  @Test
  void thoseWhoWaitHearOfTheFifthFailureAndOnlyBetweenAttempts() {
    for (int i = 0; i < Attempts.MOST_AWAITED; i++) {
      attempts.failed(failure);
      attempts.check();
      attempts.next();
    }
    attempts.failed(failure);
    assertThatThrownBy(attempts::check)
        .isExactlyInstanceOf(StoreIoException.class)
        .isNotSameAs(failure)
        .hasMessage(failure.getMessage())
        .hasCause(failure.getCause());
    attempts.next();
    assertThat(attempts.isPausing()).isFalse();
    attempts.check();
  }

  @Test
  void theyHearOfAFullDiskAtOnce() {
    assertThat(attempts.failed(full)).isEqualTo(200);
    assertThatThrownBy(attempts::check)
        .isInstanceOf(StoreFullException.class)
        .isNotSameAs(full)
        .hasMessage(full.getMessage());
    assertThat(attempts.failed(full)).isEqualTo(200);
  }

  @Test
  void onlyAnotherKindOfFailureIsNews() {
    assertThat(attempts.isNews(failure)).isTrue();
    attempts.failed(failure);
    attempts.next();
    assertThat(attempts.isNews(failure.again())).isFalse();
    assertThat(attempts.isNews(full)).isTrue();
  }
}
