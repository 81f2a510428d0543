package io.sifr.cli.demo;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkloadTest {
  private static final int MANY = 100_000;

  @ParameterizedTest
  @ValueSource(strings = {"random", "ascending", "streams:4", "outliers:0.1"})
  void keysAndValuesHaveTheShapeOfThePapers(String name) {
    Workload workload = Workload.of(name);
    assertThat(workload.name()).isEqualTo(name);
    int[] lengths = new int[Workload.MAX_VALUE_BYTES + 1];
    for (int n = 0; n < MANY; n++) {
      byte[] key = workload.key(n);
      assertThat(new String(key, US_ASCII)).matches("user\\d{19}");
      assertThat(Workload.numberOf(key)).isEqualTo(workload.number(n)).isNotNegative();
      lengths[workload.value(n).length]++;
    }
    assertThat(lengths[0]).isZero();
    // Each length is expected 500 times; a deviation of 5 standard deviations is 112.
    assertThat(Arrays.stream(lengths).skip(1)).allMatch(count -> Math.abs(count - 500) < 112);
  }

  @ParameterizedTest
  @ValueSource(strings = {"random", "ascending", "streams:7"})
  void distinctWorkloadsUseNoKeyTwice(String name) {
    Workload workload = Workload.of(name);
    assertThat(workload.isDistinct()).isTrue();
    Set<Long> numbers = new HashSet<>();
    for (int n = 0; n < MANY; n++) {
      assertThat(numbers.add(workload.number(n))).describedAs("entry %d", n).isTrue();
    }
  }

  @Test
  void randomKeysFillTheKeySpace() {
    int[] eighths = new int[8];
    for (int n = 0; n < MANY; n++) {
      eighths[(int) (Workload.random().number(n) >>> 60)]++;
    }
    assertThat(eighths).isNotNull();
    assertThat(Arrays.stream(eighths)).allMatch(count -> Math.abs(count - MANY / 8) < 600);
  }

  @Test
  void streamsTakeTurnsFarApart() {
    Workload streams = Workload.streams(3);
    long third = Long.MAX_VALUE / 3;

    assertThat(streams.number(0)).isEqualTo(0);
    assertThat(streams.number(1)).isEqualTo(third);
    assertThat(streams.number(2)).isEqualTo(2 * third);
    assertThat(streams.number(3)).isEqualTo(1);
    assertThat(streams.number(4)).isEqualTo(third + 1);
  }

  @Test
  void outliersComeFromTheRangeWrittenSoFar() {
    Workload workload = Workload.outliers(0.01);
    assertThat(workload.isDistinct()).isFalse();
    int outliers = 0;
    long frontier = -1;
    for (int n = 0; n < MANY; n++) {
      long number = workload.number(n);
      if (number > frontier && number % 256 == 0) {
        frontier = number;
      } else {
        outliers++;
        assertThat(number).isBetween(0L, ((long) n + 1) << 8);
      }
    }
    assertThat(outliers).isBetween(850, 1150);
  }

  @Test
  void aValueFollowsFromItsKey() {
    Workload workload = Workload.random();

    assertThat(workload.value(5)).isEqualTo(Workload.valueOf(workload.number(5)));
    assertThat(workload.value(5)).isNotEqualTo(workload.value(6));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "user",
        "user000000000000000000",
        "User0000000000000000000",
        "user00000000000000000000",
        "user000000000000000000a",
        "user9223372036854775808",
        "user9999999999999999999"
      })
  void otherKeysAreNotOurs(String key) {
    assertThat(Workload.numberOf(key.getBytes(US_ASCII))).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "zipf",
        "streams",
        "streams:",
        "streams:0",
        "streams:x",
        "outliers:",
        "outliers:2",
        "outliers:-1",
        "outliers:NaN"
      })
  void otherNamesAreNoWorkloads(String name) {
    assertThatThrownBy(() -> Workload.of(name)).isInstanceOf(IllegalArgumentException.class);
  }
}
