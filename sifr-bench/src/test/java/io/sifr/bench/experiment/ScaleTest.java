package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScaleTest {
  @ParameterizedTest
  @EnumSource(Scale.class)
  void smallScalesSayThatTimesMeasureTheCompiler(Scale scale) {
    boolean isShort = scale == Scale.TINY || scale == Scale.SMALL;

    assertThat(scale.warning().isPresent()).isEqualTo(isShort);
    if (isShort) {
      assertThat(scale.warning().orElseThrow()).contains("compiler", "--scale moderate");
    }
  }
}
