package io.sifr.internal.io;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OpenFilesTest {
  @Test
  void someAreLeftForOthers() {
    assertThat(OpenFiles.atMost(8192, 1024)).isEqualTo(768);
    assertThat(OpenFiles.atMost(8192, 20_000)).isEqualTo(8192);
    assertThat(OpenFiles.atMost(8192, Long.MAX_VALUE)).isEqualTo(8192);
    assertThat(OpenFiles.atMost(8192, 0)).isEqualTo(1);
  }

  @Test
  void theProcessHasALimit() {
    assertThat(OpenFiles.limit()).isBetween(100L, Long.MAX_VALUE);
    assertThat(OpenFiles.atMost(10)).isEqualTo(10);
  }
}
