package io.sifr.bench.report;

import io.sifr.bench.report.Block.BarPlot;
import io.sifr.bench.report.Block.LinePlot;
import io.sifr.bench.report.Block.Plot;
import org.knowm.xchart.internal.chartpart.Chart;

/** The drawings of one page. Public for templates. */
public final class Drawings {
  private final Charts charts;
  private int drawn;

  Drawings(Palette palette) {
    this.charts = new Charts(palette);
  }

  /** A plot that is not empty as an SVG element, without title and legend. */
  public String svg(Plot plot) {
    drawn++;
    Chart<?, ?> chart =
        plot instanceof LinePlot lines ? charts.of(lines) : charts.of((BarPlot) plot);
    return Svg.draw(
        Templates.allowed(plot.title()),
        "plot-" + drawn + "-",
        Charts.WIDTH,
        Charts.HEIGHT,
        graphics -> chart.paint(graphics, Charts.WIDTH, Charts.HEIGHT));
  }
}
