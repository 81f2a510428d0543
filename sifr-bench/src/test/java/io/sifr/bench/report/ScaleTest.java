package io.sifr.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.bench.report.Block.Axis;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class ScaleTest {
  private static final Axis LINEAR = Axis.linear("s");
  private static final Axis LOGARITHMIC = Axis.logarithmic("s");

  @Test
  void zeroBelongsToALinearScale() {
    assertThat(withZero(LINEAR, 100, 200)).isEqualTo(new Scale(0, 210, false));
    assertThat(withZero(LINEAR, -100, -50)).isEqualTo(new Scale(-105, 0, false));
    assertThat(withZero(LINEAR, 0, 0)).isEqualTo(new Scale(0, 1, false));
  }

  @Test
  void aLogarithmicScaleEndsAtRoundNumbers() {
    assertThat(withZero(LOGARITHMIC, 3, 700)).isEqualTo(new Scale(2, 1000, true));
    assertThat(withZero(LOGARITHMIC, 1, 1)).isEqualTo(new Scale(0.5, 2, true));
    assertThat(withZero(LOGARITHMIC, 5.5, 45)).isEqualTo(new Scale(5, 50, true));
  }

  @Test
  void aTightScaleOfOneValueHasAWidth() {
    Scale scale = Scale.tight(LINEAR, DoubleStream.of(5000).summaryStatistics());

    assertThat(scale).isEqualTo(new Scale(5000, 5500, false));
  }

  @Test
  void onlySomeMarksOfALogarithmicScaleHaveLabels() {
    Scale scale = withZero(LOGARITHMIC, 10, 100_000);

    assertThat(DoubleStream.of(10, 20, 30, 50, 900, 1000, 200_000).mapToObj(scale::label))
        .containsExactly("10", "20", " ", "50", " ", "1k", "200k");
    assertThat(scale.marksDecadesOnly()).isTrue();
    assertThat(withZero(LOGARITHMIC, 10, 80).marksDecadesOnly()).isFalse();
    assertThat(withZero(LINEAR, 10, 100_000).marksDecadesOnly()).isFalse();
  }

  @Test
  void numbersAreShort() {
    assertThat(DoubleStream.of(0, 0.25, 999, 999.9, 1500, 2e6, -3e9, 1e-7).mapToObj(Numbers::tick))
        .containsExactly("0", "0.25", "999", "1k", "1.5k", "2M", "-3G", "100n");
    assertThat(
            DoubleStream.of(0, 1.23456, 100, 123.4, -999.9, 1234.5, 1e12).mapToObj(Numbers::cell))
        .containsExactly("0", "1.23", "100", "123", "-1,000", "1,235", "1,000,000,000,000");
    assertThat(DoubleStream.of(3.49e-7, -1e-9, 1e-5, 1.2e-4).mapToObj(Numbers::cell))
        .containsExactly("<0.00001", ">-0.00001", "0.00001", "0.00012");
    assertThat(DoubleStream.of(0, 0.003, 0.5, 12.34, 1234.5).mapToObj(Numbers::number))
        .containsExactly("0", "0.0030", "0.50", "12.3", "1,235");
    for (int exponent = -15; exponent <= 15; exponent++) {
      double value = 3.49 * Math.pow(10, exponent);
      assertThat(List.of(Numbers.cell(value), Numbers.tick(value), Numbers.number(value)))
          .noneMatch(text -> text.matches(".*\\dE-?\\d.*"));
    }
    assertThat(Numbers.cell(null)).isEqualTo("–");
    assertThat(Numbers.cell(Double.NaN)).isEqualTo("–");
  }

  private static Scale withZero(Axis axis, double... values) {
    return Scale.withZero(axis, DoubleStream.of(values).summaryStatistics());
  }

  @Test
  void figuresThatAreComparedKeepTheirZeros() {
    assertThat(Numbers.number(0)).isEqualTo("0");
    assertThat(Numbers.number(0.5)).isEqualTo("0.50");
    assertThat(Numbers.number(-12)).isEqualTo("-12.0");
    assertThat(Numbers.number(1234.4)).isEqualTo("1,234");
  }
}
