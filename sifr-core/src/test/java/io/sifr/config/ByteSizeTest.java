package io.sifr.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
  @ParameterizedTest
  @CsvSource({
    "0,0",
    "4194304,4194304",
    "17B,17",
    "4MiB,4194304",
    "4mib,4194304",
    "4M,4194304",
    "4 MiB,4194304",
    "64K,65536",
    "1GiB,1073741824",
    "2TiB,2199023255552"
  })
  void sizesAreRead(String text, long bytes) {
    assertThat(ByteSize.parse(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "MiB", "4.5MiB", "-1", "4XiB", "4 Mi B", "9999999999999999999", "99999999T"})
  void othersAreNoSizes(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({"0,0", "17,17", "4096,4KiB", "4097,4097", "67108864,64MiB", "1610612736,1536MiB"})
  void sizesAreWrittenToTheByte(long bytes, String text) {
    assertThat(ByteSize.format(bytes)).isEqualTo(text);
    assertThat(ByteSize.parse(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 40, 1L << 60, Long.MAX_VALUE, -4096, Long.MIN_VALUE + 1})
  void anyNumberCanBeWritten(long bytes) {
    assertThat(ByteSize.format(bytes)).matches("-?[0-9]+([KMGT]iB)?");
  }
}
