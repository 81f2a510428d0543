package io.sifr.internal.format;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileKindTest {
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 42, 999_999_999_999L, 1_000_000_000_000L, 999_999_999_999_999_999L})
  void aNumberIsFoundInItsName(long number) {
    for (FileKind kind : FileKind.values()) {
      for (FileKind other : FileKind.values()) {
        assertThat(kind.numberOf(other.fileName(number)).isPresent()).isEqualTo(kind == other);
      }
      assertThat(kind.numberOf(kind.fileName(number))).contains(number);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".sst",
        "sst",
        "00000000007.sst",
        "0000000000007.sst",
        "000000000007",
        "000000000007.",
        "000000000007.sst.",
        "000000000007.sst.sst",
        "000000000007_sst",
        "000000000007.SST",
        "000000000007.tsst",
        "00000000000a.sst",
        "-00000000007.sst",
        "00000000000\u0667.sst",
        "1000000000000000000.sst"
      })
  void otherNamesHaveNone(String name) {
    assertThat(FileKind.SST.numberOf(name)).isEmpty();
  }
}
