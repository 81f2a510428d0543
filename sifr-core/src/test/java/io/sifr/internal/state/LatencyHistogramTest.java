package io.sifr.internal.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sifr.event.LatencySummary;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatencyHistogramTest {
  private final LatencyHistogram histogram = new LatencyHistogram();

  @Test
  void nothingMeasuredIsZero() {
    assertThat(histogram.summary()).isEqualTo(new LatencySummary(0, 0, 0, 0, 0, 0));
  }

  @Test
  void percentilesAreWithinOnePercent() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    // Of all magnitudes, from a nanosecond to minutes.
    long[] nanos =
        LongStream.generate(() -> (long) Math.exp(random.nextDouble() * 26))
            .limit(20_000)
            .toArray();
    Arrays.stream(nanos).forEach(histogram::add);
    Arrays.sort(nanos);
    LatencySummary summary = histogram.summary();
    assertThat(summary.samples()).as("seed %d", seed).isEqualTo(nanos.length);
    assertThat(summary.meanMicros())
        .as("seed %d", seed)
        .isCloseTo(Arrays.stream(nanos).average().orElseThrow() / 1e3, withinPercentage(1e-6));
    assertThat(summary.p50Micros())
        .as("seed %d", seed)
        .isCloseTo(nanos[9_999] / 1e3, withinPercentage(1));
    assertThat(summary.p99Micros())
        .as("seed %d", seed)
        .isCloseTo(nanos[19_799] / 1e3, withinPercentage(1));
    assertThat(summary.p999Micros())
        .as("seed %d", seed)
        .isCloseTo(nanos[19_979] / 1e3, withinPercentage(1));
    assertThat(summary.maxMicros()).as("seed %d", seed).isEqualTo(nanos[19_999] / 1e3);
  }

  /** At the edges of powers of two, where the width of buckets changes. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 63, 64, 127, 128, 129, 255, 256, 1023, 1024, 1 << 20, (1L << 40) - 1})
  void oneCallIsItsOwnPercentile(long nanos) {
    histogram.add(nanos);
    LatencySummary summary = histogram.summary();
    assertThat(summary.p50Micros()).isCloseTo(nanos / 1e3, within(nanos / 1e5));
    assertThat(summary.p999Micros()).isLessThanOrEqualTo(summary.maxMicros());
  }

  @Test
  void aCallThatTakesAnHourIsCounted() {
    long hour = TimeUnit.HOURS.toNanos(1);
    histogram.add(hour);
    assertThat(histogram.summary().samples()).isEqualTo(1);
    assertThat(histogram.summary().maxMicros()).isEqualTo(hour / 1e3);
  }

  @Test
  void noCallOfSeveralThreadsIsLost() {
    IntStream.range(0, 40_000).parallel().forEach(i -> histogram.add(1000));
    LatencySummary summary = histogram.summary();
    assertThat(summary.samples()).isEqualTo(40_000);
    assertThat(summary.meanMicros()).isEqualTo(1);
  }
}
