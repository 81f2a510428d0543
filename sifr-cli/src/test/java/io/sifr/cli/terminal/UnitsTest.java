package io.sifr.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitsTest {

  @ParameterizedTest
  @CsvSource({
    "0,0 B,0",
    "1023,1023 B,1023",
    "1024,1.0 KiB,1.0K",
    "4194304,4.0 MiB,4.0M",
    "1048575,1.0 MiB,1.0M",
    "5905580032,5.5 GiB,5.5G",
    "9223372036854775807,8388608.0 TiB,8388608.0T"
  })
  void sizesAreShown(long bytes, String text, String shortText) {
    assertThat(Units.bytes(bytes)).isEqualTo(text);
    assertThat(Units.shortBytes(bytes)).isEqualTo(shortText);
  }

  @Test
  void countsHaveSeparatorsAndNouns() {
    assertThat(Units.count(1_234_567)).isEqualTo("1,234,567");
    assertThat(Units.count(1, "tree")).isEqualTo("1 tree");
    assertThat(Units.count(0, "tree")).isEqualTo("0 trees");
    assertThat(Units.perSecond(3000, 1_500_000_000)).isEqualTo("2,000/s");
    assertThat(Units.rate(3000, 0)).isZero();
  }
}
