package io.sifr.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.bench.report.Block.Axis;
import io.sifr.bench.report.Block.BarPlot;
import io.sifr.bench.report.Block.Bars;
import io.sifr.bench.report.Block.LinePlot;
import io.sifr.bench.report.Block.Series;
import io.sifr.bench.report.Block.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockTest {
  private static final Axis AXIS = Axis.linear("s");

  @Test
  void whatDoesNotFitIsRefused() {
    assertRefused(() -> new Table(List.of(), List.of()), "no column");
    assertRefused(
        () -> new Table(List.of("a"), List.of(List.of("1", "2"))), "2 cells in a row of a table");
    assertRefused(() -> new Series("a", List.of(1.0), List.of()), "a has 1 x and 0 y values");
    assertRefused(
        () -> new Series("a", List.of(2.0, 1.0), List.of(0.0, 0.0)), "back from x = 2.0 to 1.0");
    Series series = new Series("a", List.of(), List.of());
    assertRefused(
        () -> new LinePlot("p", AXIS, AXIS, List.of(series, series)), "two series of a plot are");
    assertRefused(
        () -> new BarPlot("p", AXIS, List.of("c"), List.of(new Bars("a", List.of()))),
        "a has 0 values for 1 categories");
    assertRefused(() -> new BarPlot("p", AXIS, List.of("c", "c"), List.of()), "named c");
  }

  @Test
  void barsDoNotChangeAfterwards() {
    List<Double> values = new ArrayList<>(List.of(1.0));
    Bars bars = new Bars("a", values);

    values.set(0, 2.0);

    assertThat(bars.values()).containsExactly(1.0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"12", "-1.5", "1,234", "1.2 GiB", "3.4 ×", "85%", "0.3 ± 0.1", "–", "", "< 5"})
  void figures(String cell) {
    assertThat(column(cell).figureColumns().get(1)).isTrue();
    assertThat(column(cell).figureColumns().get(0)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "2 of 3 stores", "G1", "not run", "x86"})
  void remarks(String cell) {
    assertThat(column(cell).figureColumns().get(1)).isFalse();
  }

  @Test
  void oneRemarkAmongManyFiguresDoesNotMoveThem() {
    Table table =
        new Table(
            List.of("a", "b"),
            Stream.of("1", "2", "3", "4", "did not end").map(cell -> List.of("x", cell)).toList());

    assertThat(table.figureColumns().get(1)).isTrue();
  }

  private static Table column(String cell) {
    return new Table(List.of("a", "b"), List.of(List.of(cell, cell)));
  }

  private static void assertRefused(Runnable construction, String message) {
    assertThatThrownBy(construction::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
