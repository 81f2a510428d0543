package io.sifr.bench.report;

import com.google.common.primitives.Doubles;
import io.sifr.bench.report.Block.Axis;
import io.sifr.bench.report.Block.BarPlot;
import io.sifr.bench.report.Block.Bars;
import io.sifr.bench.report.Block.LinePlot;
import io.sifr.bench.report.Block.Series;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.AxesChartStyler.TextAlignment;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Plots as charts of XChart, without title and legend: those are text of the page around. */
final class Charts {
  static final int WIDTH = 880;
  static final int HEIGHT = 360;

  private static final int POINTS_DRAWN = 200;
  // Fewer than that are measurements one by one; more would be a string of beads.
  private static final int POINTS_MARKED = 20;
  private static final int LABEL_FONT_SIZE = 12;
  private static final double PIXELS_PER_LETTER = 7.5;
  private static final Color TRANSPARENT = new Color(0, 0, 0, 0);
  private static final Color GRID = new Color(128, 128, 128, 64);

  private final Palette palette;

  Charts(Palette palette) {
    this.palette = palette;
  }

  /** The chart of a plot that is not empty. */
  XYChart of(LinePlot plot) {
    XYChart chart = new XYChartBuilder().width(WIDTH).height(HEIGHT).build();
    DoubleSummaryStatistics xs = new DoubleSummaryStatistics();
    DoubleSummaryStatistics ys = new DoubleSummaryStatistics();
    for (Series series : plot.series()) {
      Points points = Points.of(plot, series).thinned(POINTS_DRAWN);
      if (points.size() > 0) {
        Doubles.asList(points.x()).forEach(xs::accept);
        Doubles.asList(points.y()).forEach(ys::accept);
        XYSeries line = chart.addSeries(series.name(), points.x(), points.y());
        line.setLineColor(palette.color(series.name()));
        line.setMarkerColor(palette.color(series.name()));
        line.setMarker(points.size() <= POINTS_MARKED ? SeriesMarkers.CIRCLE : SeriesMarkers.NONE);
        line.setLineStyle(new BasicStroke(1.8f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
      }
    }
    chart.setXAxisTitle(plot.x().label());
    AxesChartStyler styler = chart.getStyler();
    style(styler);
    Scale x = Scale.tight(plot.x(), xs);
    styler.setXAxisMin(x.min()).setXAxisMax(x.max());
    styler.setXAxisLogarithmic(x.logarithmic());
    styler.setXAxisLogarithmicDecadeOnly(x.marksDecadesOnly());
    styler.setXAxisTickLabelsFormattingFunction(x::label);
    chart.setYAxisTitle(plot.y().label());
    styleY(styler, Scale.withZero(plot.y(), ys));
    return chart;
  }

  /** The chart of a plot that is not empty. */
  CategoryChart of(BarPlot plot) {
    CategoryChart chart = new CategoryChartBuilder().width(WIDTH).height(HEIGHT).build();
    DoubleSummaryStatistics ys = new DoubleSummaryStatistics();
    for (Bars bars : plot.series()) {
      List<@Nullable Double> held = held(plot.y(), bars.values());
      if (held.stream().anyMatch(Objects::nonNull)) {
        held.stream().filter(Objects::nonNull).forEach(ys::accept);
        chart
            .addSeries(bars.name(), plot.categories(), held)
            .setFillColor(palette.color(bars.name()));
      }
    }
    chart.setYAxisTitle(plot.y().label());
    style(chart.getStyler());
    chart.getStyler().setPlotGridVerticalLinesVisible(false);
    chart.getStyler().setAvailableSpaceFill(0.8);
    int longest = plot.categories().stream().mapToInt(String::length).max().orElse(0);
    if (longest * PIXELS_PER_LETTER > 0.9 * WIDTH / plot.categories().size()) {
      chart.getStyler().setXAxisLabelRotation(30);
    }
    styleY(chart.getStyler(), Scale.withZero(plot.y(), ys));
    return chart;
  }

  private static List<@Nullable Double> held(Axis axis, List<@Nullable Double> values) {
    List<@Nullable Double> held = new ArrayList<>();
    for (Double value : values) {
      held.add(value != null && axis.holds(value) ? value : null);
    }
    return held;
  }

  private static void style(AxesChartStyler styler) {
    Font font = new Font(Font.SANS_SERIF, Font.PLAIN, LABEL_FONT_SIZE);
    styler.setAxisTitleFont(font);
    styler.setAxisTickLabelsFont(font);
    styler.setAxisTickLabelsColor(Svg.INK);
    styler.setAxisTickMarksColor(Svg.INK);
    styler.setXAxisTitleColor(Svg.INK);
    styler.setYAxisTitleColor(Svg.INK);
    styler.setChartFontColor(Svg.INK);
    styler.setChartTitleVisible(false);
    styler.setLegendVisible(false);
    styler.setChartPadding(4);
    styler.setChartBackgroundColor(TRANSPARENT);
    styler.setPlotBackgroundColor(TRANSPARENT);
    styler.setPlotBorderVisible(false);
    styler.setPlotGridLinesColor(GRID);
    // XChart's own is dashed: each line would become thousands of characters of SVG.
    styler.setPlotGridLinesStroke(new BasicStroke(1));
    styler.setMarkerSize(6);
    styler.setYAxisLabelAlignment(TextAlignment.Right);
    styler.setXAxisTickMarkSpacingHint(90);
    styler.setYAxisTickMarkSpacingHint(40);
  }

  private static void styleY(AxesChartStyler styler, Scale y) {
    styler.setYAxisMin(y.min());
    styler.setYAxisMax(y.max());
    styler.setYAxisLogarithmic(y.logarithmic());
    styler.setYAxisLogarithmicDecadeOnly(y.marksDecadesOnly());
    styler.setYAxisTickLabelsFormattingFunction(y::label);
  }
}
