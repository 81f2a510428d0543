package io.sifr.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.bench.report.Block.Axis;
import io.sifr.bench.report.Block.LinePlot;
import io.sifr.bench.report.Block.Series;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PointsTest {

  @Test
  void aLogarithmicAxisHoldsOnlyWhatIsAboveZero() {
    Series series =
        new Series("a", List.of(0.0, 1.0, 2.0, 3.0, 4.0), List.of(9.0, 0.0, Double.NaN, -1.0, 8.0));
    LinePlot plot = new LinePlot("p", Axis.linear("s"), Axis.logarithmic("µs"), List.of(series));
    LinePlot turned = new LinePlot("p", Axis.logarithmic("s"), Axis.linear("µs"), List.of(series));

    assertThat(Points.of(plot, series).x()).containsExactly(0, 4);
    assertThat(Points.of(turned, series).y()).containsExactly(0, -1, 8);
  }

  @Test
  void outliersAndEndsOutliveThinning() {
    double[] x = IntStream.range(0, 10_000).asDoubleStream().toArray();
    double[] y = IntStream.range(0, 10_000).mapToDouble(i -> i % 7).toArray();
    y[4321] = -50;
    y[8765] = 99;

    Points thinned = new Points(x, y).thinned(200);

    assertThat(thinned.size()).isBetween(150, 200);
    assertThat(thinned.x()).isSorted().contains(0, 4321, 8765, 9999);
    assertThat(thinned.y()).contains(-50, 99);
  }

  @Test
  void fewPointsAllStay() {
    Points points = new Points(new double[] {1, 2, 3}, new double[] {5, 5, 5});

    assertThat(points.thinned(3)).isSameAs(points);
  }
}
