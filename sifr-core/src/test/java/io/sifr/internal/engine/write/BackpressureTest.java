package io.sifr.internal.engine.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.internal.engine.write.WriteRoom.Backpressure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BackpressureTest {
  private final Backpressure backpressure = new Backpressure();

  @Test
  void aNormalBacklogCostsNothing() {
    for (double inMemory : new double[] {0, 0.25, 0.5}) {
      for (double debt : new double[] {-1, 0}) {
        assertThat(backpressure.pressure(inMemory, debt)).isZero();
      }
    }
    assertThat(backpressure.charge(1 << 30, 0)).isZero();
  }

  @Test
  void pressureGrowsWithTheBacklog() {
    assertThat(backpressure.pressure(0.75, 0)).isCloseTo(0.5, within(1e-9));
    assertThat(backpressure.pressure(1, 0)).isEqualTo(1);
    assertThat(backpressure.pressure(2.25, 0)).isEqualTo(1);
    assertThat(backpressure.pressure(0, 0.5)).isCloseTo(0.5, within(1e-9));
    assertThat(backpressure.pressure(0, 1)).isEqualTo(1);
    assertThat(backpressure.pressure(0.75, 1)).isEqualTo(1);
  }

  /** There is no other bound on what compactions may leave for later. */
  @Test
  void debtPressesOnWhenMuchDoesNotHelp() {
    assertThat(backpressure.pressure(0, 2)).isEqualTo(2);
    assertThat(backpressure.pressure(1, 2)).isEqualTo(2);
    assertThat(backpressure.pressure(0, 10_000)).isEqualTo(Backpressure.MAX_PRESSURE);
    assertThat(backpressure.charge(1 << 20, 2)).isEqualTo(4 * backpressure.charge(1 << 20, 1));
  }

  @Test
  void smallDelaysAreCollectedUntilTheyAreWorthASleep() {
    long charged = 0;
    int pauses = 0;
    for (int i = 0; i < 10_000; i++) {
      long pause = backpressure.charge(100, 0.04);
      charged += pause;
      pauses += pause > 0 ? 1 : 0;
    }
    assertThat(pauses).isEqualTo(1);
    assertThat(charged).isEqualTo(500_000);
  }

  /** Then a pause is no part of what 999 of 1000 writes take. */
  @Test
  void ofWritesThatAreSlowedALittleAtMostOneIn1000Pauses() {
    for (double pressure : new double[] {0.06, 0.1, 0.2, 0.3}) {
      Backpressure fresh = new Backpressure();
      int pauses = 0;
      for (int i = 0; i < 1000 * 40; i++) {
        pauses += fresh.charge(100, pressure) > 0 ? 1 : 0;
      }
      assertThat(pauses).as("pressure %s", pressure).isBetween(1, 40);
    }
  }

  /** Then a pause is no part of what 99 of 100 writes take. */
  @Test
  void ofSmallWritesAtMostOneIn256Pauses() {
    for (double pressure : new double[] {0.2, 0.3, 0.4, 0.5}) {
      Backpressure fresh = new Backpressure();
      long paused = 0;
      int pauses = 0;
      for (int i = 0; i < 256 * 400; i++) {
        long pause = fresh.charge(100, pressure);
        paused += pause;
        pauses += pause > 0 ? 1 : 0;
      }
      assertThat(pauses).isBetween(1, 400);
      double charged = 100 * 256 * 400 * pressure * pressure * Backpressure.NANOS_PER_BYTE;
      assertThat((double) paused).isCloseTo(charged, within(charged / 20));
    }
  }

  @Test
  void pausesStayShortWhenTheBacklogIsLarge() {
    long owed = 0;
    for (int i = 0; i < 1000; i++) {
      long charged = (long) (100 * 64 * Backpressure.NANOS_PER_BYTE);
      owed += charged;
      long pause = backpressure.charge(100, Backpressure.MAX_PRESSURE);
      assertThat(pause).isLessThan(TimeUnit.MILLISECONDS.toNanos(10) + charged);
      owed -= pause;
    }
    assertThat(owed).isLessThan(TimeUnit.MILLISECONDS.toNanos(10));
  }

  @Test
  void whatSeveralWritersOweTogetherIsPausedOnce() throws Exception {
    int threads = 4;
    int writes = 400_000;
    CyclicBarrier begin = new CyclicBarrier(threads);
    List<FutureTask<Long>> writers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      FutureTask<Long> writer =
          new FutureTask<>(
              () -> {
                begin.await();
                return LongStream.range(0, writes).map(n -> backpressure.charge(1000, 1)).sum();
              });
      writers.add(writer);
      new Thread(writer, "writer-" + i).start();
    }
    long paused = 0;
    for (FutureTask<Long> writer : writers) {
      paused += writer.get();
    }
    paused += backpressure.charge(1 << 20, 1); // and what is left
    long charged = 1000L * threads * writes + (1 << 20);
    assertThat(paused).isEqualTo((long) (charged * Backpressure.NANOS_PER_BYTE));
  }

  @Test
  void theDelayGrowsWithTheSquare() {
    assertThat(backpressure.charge(1 << 20, 1)).isEqualTo(16 * backpressure.charge(1 << 20, 0.25));
  }

  @Test
  void whatIsOwedIsForgivenWhenTheBacklogIsGone() {
    assertThat(backpressure.charge(19_000, 1)).isZero();
    assertThat(backpressure.charge(1, 0)).isZero();
    assertThat(backpressure.charge(19_000, 1)).isZero();
    assertThat(backpressure.charge(2_000, 1)).isPositive();
  }

  @Test
  void aWriterWithALimitPausesNoLongerAndLeavesTheRestToTheNext() {
    AtomicLong now = new AtomicLong();
    Backpressure limited = new Backpressure(now::get);
    long millis = TimeUnit.MILLISECONDS.toNanos(1);
    int bytes = (int) (10 * millis / Backpressure.NANOS_PER_BYTE);
    assertThat(limited.owedNanos(1)).isZero();
    assertThat(limited.charge(bytes, 1, 4 * millis)).isEqualTo(4 * millis);
    now.addAndGet(4 * millis);
    assertThat(limited.owedNanos(1)).isEqualTo(6 * millis);
    assertThat(limited.charge(bytes, 1, 0)).isZero();
    assertThat(limited.owedNanos(1)).isEqualTo(16 * millis);
    now.addAndGet(20 * millis);
    assertThat(limited.owedNanos(1)).isNegative();
    assertThat(limited.charge(bytes, 1, 40 * millis)).isEqualTo(10 * millis);
  }

  @Test
  void whatWritersWithALimitOweIsForgivenWhenTheBacklogIsGone() {
    Backpressure limited = new Backpressure(() -> 0);
    assertThat(limited.charge(1 << 20, 1, 0)).isZero();
    assertThat(limited.owedNanos(0.1)).isPositive();
    assertThat(limited.owedNanos(0)).isZero();
    assertThat(limited.owedNanos(1)).isZero();
    assertThat(limited.charge(1 << 20, 0, Long.MAX_VALUE)).isZero();
  }

  /** Else an ordinary write would pause for what another was not to wait for. */
  @Test
  void writersWithoutALimitDoNotPayForThoseWithOne() {
    Backpressure limited = new Backpressure(() -> 0);
    assertThat(limited.charge(1 << 20, 1, 0)).isZero();
    assertThat(limited.charge(1, 1)).isZero();
  }

  @Test
  void aPauseIsNotCutShortByAnInterruptAndKeepsIt() {
    Thread.currentThread().interrupt();
    long start = System.nanoTime();
    long paused = Backpressure.pause(3_000_000, () -> false);
    assertThat(paused).isGreaterThanOrEqualTo(3_000_000);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(3_000_000);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  @Timeout(60)
  void aPauseEndsWhenTheBacklogIsGone() {
    AtomicInteger looks = new AtomicInteger();
    long paused = Backpressure.pause(TimeUnit.DAYS.toNanos(1), () -> looks.incrementAndGet() == 3);
    assertThat(looks).hasValue(3);
    assertThat(paused).isPositive();
  }
}
