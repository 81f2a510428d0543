package io.sifr.internal.compaction.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.compaction.run.Pace.StepBack;
import io.sifr.internal.state.Counters;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A merge and a reader take turns on a clock of their own. */
class StepBackTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final AtomicLong now = new AtomicLong(7);
  private final Counters.Reading times = new Counters.Reading(now::get);
  private final StepBack stepBack = new StepBack(times, now::get);

  /** How long a read takes, in the quiet and beside a merge. */
  private long quiet = 1_000;

  private long disturbed = 1_000;
  private int readsPerMilli = 10;
  private Counters.Reading.Reads kind = times.gets();

  private long worked;
  private long paused;

  private void read(long nanos) {
    for (int i = 0; i < readsPerMilli; i++) {
      kind.ended(now.get() - nanos);
    }
  }

  private void quietFor(int millis) {
    for (int i = 0; i < millis; i++) {
      now.addAndGet(MILLI);
      read(quiet);
    }
  }

  /** A merge that comes to a yield point each millisecond. */
  private void mergeFor(int millis) {
    worked = 0;
    paused = 0;
    long end = now.get() + millis * MILLI;
    times.workBegins();
    while (now.get() < end) {
      now.addAndGet(MILLI);
      worked += MILLI;
      read(disturbed);
      long pause = stepBack.pauseNanos();
      if (pause > 0) {
        times.workEnds();
        quietFor((int) (pause / MILLI));
        paused += pause;
        times.workBegins();
      }
    }
    times.workEnds();
  }

  private double share() {
    return (double) worked / (worked + paused);
  }

  @BeforeEach
  void readInTheQuiet() {
    quietFor(100);
  }

  @Test
  void worksOnAsLongAsReadsAreNotDisturbed() {
    disturbed = 1_900;
    mergeFor(2_000);
    assertThat(share()).isEqualTo(1);
  }

  /** As many as take that time on average: 20 of a hundred that take six times as long. */
  @Test
  void readsTakeTwiceTheirTimeOnAverage() {
    disturbed = 6_000;
    mergeFor(20_000);
    assertThat(share()).isBetween(0.1, 0.3);
  }

  @Test
  void worksAtLeastForASixteenth() {
    disturbed = 1_000_000;
    mergeFor(20_000);
    assertThat(share()).isBetween(0.06, 0.08);
  }

  @Test
  void worksOnWhenNobodyReadsAnyMore() {
    disturbed = 1_000_000;
    mergeFor(1_000);
    readsPerMilli = 0;
    mergeFor(10_000);
    mergeFor(1_000);
    assertThat(share()).isEqualTo(1);
  }

  @Test
  void worksOnWhenReadsAreFastAgain() {
    disturbed = 1_000_000;
    mergeFor(1_000);
    disturbed = quiet;
    mergeFor(10_000);
    mergeFor(1_000);
    assertThat(share()).isGreaterThan(0.95);
  }

  /** Reads of what is not in memory, say: merges are not why they are slow. */
  @Test
  void worksOnWhenReadsAreAsSlowInThePauses() {
    quiet = 50_000;
    disturbed = 50_000;
    mergeFor(10_000);
    mergeFor(1_000);
    assertThat(share()).isGreaterThan(0.95);
  }

  @Test
  void aFewReadsAreNoReason() {
    readsPerMilli = 0;
    mergeFor(1_000);
    readsPerMilli = 1;
    disturbed = 1_000_000_000;
    mergeFor(15);
    assertThat(share()).isEqualTo(1);
  }

  @Test
  void aSeekIsComparedWithSeeks() {
    kind = times.seeks();
    quiet = 40_000;
    disturbed = 50_000;
    quietFor(100);
    mergeFor(2_000);
    assertThat(share()).isEqualTo(1);
    disturbed = 500_000;
    mergeFor(2_000);
    assertThat(share()).isLessThan(0.5);
  }

  /** In a store that has always merged since it was opened. */
  @Test
  void pausesToMeasureTheQuiet() {
    StepBackTest other = new StepBackTest();
    other.mergeFor(400);
    assertThat(other.share()).isLessThan(1);
    other.disturbed = 20_000;
    other.mergeFor(2_000);
    assertThat(other.share()).isLessThan(0.5);
  }

  @Test
  void measuringTakesLittle() {
    mergeFor(60_000);
    assertThat(share()).isGreaterThan(0.95);
  }
}
