package io.sifr.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.bench.report.Block.Axis;
import io.sifr.bench.report.Block.BarPlot;
import io.sifr.bench.report.Block.Bars;
import io.sifr.bench.report.Block.LinePlot;
import io.sifr.bench.report.Block.Series;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class FiguresTest {
  private static final Axis X = Axis.linear("s");
  private static final Axis Y = Axis.linear("op/s");

  @Test
  void shortLinesAreShownWhole() {
    LinePlot plot =
        new LinePlot(
            "p",
            X,
            Y,
            List.of(
                new Series("a", List.of(1.0, 2.0, 4.0), List.of(10.0, Double.NaN, 40.0)),
                new Series("b", List.of(2.0, 3.0), List.of(0.0, 1234567.0))));

    assertThat(Figures.table(plot).headers()).containsExactly("s", "a", "b");
    assertThat(Figures.table(plot).rows())
        .containsExactly(
            List.of("1", "10", "–"),
            List.of("2", "–", "0"),
            List.of("3", "–", "1,234,567"),
            List.of("4", "40", "–"));
  }

  @Test
  void longLinesAreThinnedFromTheFirstToTheLastPoint() {
    List<Double> x = DoubleStream.iterate(0, i -> i + 1).limit(701).boxed().toList();
    List<Double> shifted = x.stream().map(value -> value + 0.25).limit(300).toList();
    LinePlot plot =
        new LinePlot("p", X, Y, List.of(new Series("a", x, x), new Series("b", shifted, shifted)));

    List<List<String>> rows = Figures.table(plot).rows();

    assertThat(rows)
        .extracting(row -> row.get(0))
        .containsExactly("0", "71", "142", "214", "285", "414", "557", "700");
    assertThat(rows.get(0)).containsExactly("0", "0", "0.25");
    assertThat(rows.get(7)).containsExactly("700", "700", "–");
  }

  @Test
  void positionsThatReadAlikeAreOne() {
    LinePlot plot =
        new LinePlot(
            "p",
            X,
            Y,
            List.of(
                new Series("a", List.of(1.0, 1000.0), List.of(5.0, 6.0)),
                new Series("b", List.of(1.0, 999.9999999), List.of(7.0, 8.0))));

    assertThat(Figures.table(plot).rows())
        .containsExactly(List.of("1", "5", "7"), List.of("1,000", "6", "8"));
  }

  @Test
  void barsAreShownByCategory() {
    BarPlot plot =
        new BarPlot(
            "p",
            Y,
            List.of("load", "get"),
            List.of(
                new Bars("a", Arrays.asList(1.5, null)), new Bars("b", Arrays.asList(0.0, 2.0))));

    assertThat(Figures.table(plot).rows())
        .containsExactly(List.of("load", "1.5", "0"), List.of("get", "–", "2"));
  }
}
