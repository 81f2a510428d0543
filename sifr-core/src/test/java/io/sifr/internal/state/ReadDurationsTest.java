package io.sifr.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.state.Counters.Reading.Total;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReadDurationsTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 100); // it passes the largest
  private final Counters.Reading times = new Counters.Reading(now::get);

  private void read(Counters.Reading.Reads kind, long nanos) {
    long start = now.get();
    now.addAndGet(nanos);
    kind.ended(start);
  }

  @Test
  void whatBeginsAndEndsInTheQuietIsQuiet() {
    now.addAndGet(5);
    read(times.gets(), 200);
    times.workBegins();
    read(times.gets(), 30);
    long before = now.get();
    now.addAndGet(10);
    times.workEnds();
    times.gets().ended(before); // begun beside the work
    read(times.gets(), 7);
    before = now.get();
    times.workBegins();
    now.addAndGet(2);
    times.gets().ended(before); // ended beside the work
    assertThat(times.gets().all()).isEqualTo(new Total(5, 249));
    assertThat(times.gets().quiet()).isEqualTo(new Total(2, 207));
  }

  @Test
  void itIsQuietWhenTheLastHasEnded() {
    times.workBegins();
    times.workBegins();
    times.workEnds();
    read(times.gets(), 1);
    assertThat(times.gets().quiet()).isEqualTo(Total.NONE);
    times.workEnds();
    read(times.gets(), 1);
    assertThat(times.gets().quiet()).isEqualTo(new Total(1, 1));
  }

  @Test
  void kindsAreApart() {
    read(times.seeks(), 9);
    read(times.seeks(), 12);
    assertThat(times.gets().all()).isEqualTo(Total.NONE);
    assertThat(times.seeks().all().since(new Total(1, 9))).isEqualTo(new Total(1, 12));
    assertThat(times.seeks().quiet().mean()).isEqualTo(10.5);
    assertThat(Total.NONE.mean()).isZero();
  }

  @Test
  void whatWasNotDrawnIsNotCounted() {
    times.gets().ended(0);
    assertThat(times.gets().all()).isEqualTo(Total.NONE);
  }
}
