package io.sifr.bench.report;

import io.sifr.bench.report.Block.BarPlot;
import io.sifr.bench.report.Block.LinePlot;
import io.sifr.bench.report.Block.Plot;
import io.sifr.bench.report.Block.Table;
import org.knowm.xchart.internal.chartpart.Chart;

/** Plots as figures of a page, with title, legend and a table of the values. */
final class HtmlPlots {
  private final Palette palette;
  private final Charts charts;
  private final boolean drawing;
  private int drawn;

  /**
   * For one page.
   *
   * @param drawing whether the JVM can draw
   */
  HtmlPlots(Palette palette, boolean drawing) {
    this.palette = palette;
    this.charts = new Charts(palette);
    this.drawing = drawing;
  }

  /** The figure element of a plot. */
  String figure(Plot plot) {
    StringBuilder html = new StringBuilder("<figure>\n");
    html.append(Html.element("figcaption", plot.title()));
    boolean drawable = !Figures.isEmpty(plot);
    if (!drawable) {
      html.append("<p class=\"missing\">").append(Figures.NOTHING_TO_DRAW).append("</p>\n");
    } else if (drawing) {
      html.append(legend(plot)).append("<div class=\"scroll\" tabindex=\"0\">\n");
      html.append(svg(plot)).append("\n</div>\n");
    }
    for (String note : Figures.notes(plot)) {
      html.append("<p class=\"note\">").append(Html.escape(note)).append("</p>\n");
    }
    Table figures = Figures.table(plot);
    if (!figures.rows().isEmpty()) {
      html.append(drawable && drawing ? "<details>\n" : "<details open=\"open\">\n");
      html.append("<summary>").append(Html.escape("Figures: " + plot.y().label()));
      html.append("</summary>\n").append(Html.table(figures)).append("</details>\n");
    }
    return html.append("</figure>\n").toString();
  }

  private String legend(Plot plot) {
    StringBuilder html = new StringBuilder("<ul class=\"legend\">\n");
    for (String name : plot.seriesNames()) {
      html.append("<li><span style=\"background:").append(palette.css(name)).append("\"></span>");
      html.append(Html.escape(name)).append("</li>\n");
    }
    return html.append("</ul>\n").toString();
  }

  /** The drawing of a plot that is not empty, without title and legend. */
  String svg(Plot plot) {
    drawn++;
    Chart<?, ?> chart =
        plot instanceof LinePlot lines ? charts.of(lines) : charts.of((BarPlot) plot);
    return Svg.draw(
        Html.allowed(plot.title()),
        "plot-" + drawn + "-",
        Charts.WIDTH,
        Charts.HEIGHT,
        graphics -> chart.paint(graphics, Charts.WIDTH, Charts.HEIGHT));
  }
}
