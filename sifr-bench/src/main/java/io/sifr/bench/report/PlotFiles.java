package io.sifr.bench.report;

import io.sifr.bench.report.Block.Plot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The plots of a report as SVG files, each with its title and legend, for pages that cannot contain
 * drawings.
 */
public final class PlotFiles {
  private static final int MARGIN = 12;
  private static final int LINE_HEIGHT = 20;
  private static final int TEXT_SIZE = 13;
  private static final double LETTER_WIDTH = 7.5;
  private static final int SWATCH = 12;

  private PlotFiles() {}

  /**
   * Writes a file for each plot that has something to draw, named after its section and its place
   * in it: {@code space-1.svg}. Files of that name are replaced.
   *
   * @param directory created when it does not exist
   * @return the files
   * @throws IllegalStateException when the JVM cannot draw
   */
  public static List<Path> write(Report report, Path directory) throws IOException {
    String obstacle = TextDrawing.obstacle();
    if (obstacle != null) {
      throw new IllegalStateException(obstacle);
    }
    Files.createDirectories(directory);
    Palette palette = new Palette(report);
    HtmlPlots drawings = new HtmlPlots(palette, true);
    List<Path> files = new ArrayList<>();
    for (Report.Section section : report.sections()) {
      int number = 0;
      for (Block block : section.blocks()) {
        if (block instanceof Plot plot && !Figures.isEmpty(plot)) {
          number++;
          Path file = directory.resolve(name(section) + "-" + number + ".svg");
          Files.writeString(file, document(plot, palette, drawings.svg(plot)));
          files.add(file);
        }
      }
    }
    return files;
  }

  /** The part of a section's title before the colon, in characters that any file name may have. */
  private static String name(Report.Section section) {
    String title = section.title();
    int colon = title.indexOf(':');
    return (colon < 0 ? title : title.substring(0, colon))
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^a-z0-9]+", "-");
  }

  private static String document(Plot plot, Palette palette, String drawing) {
    int width = Charts.WIDTH + 2 * MARGIN;
    List<String> legend = legend(plot, palette, width);
    int top = MARGIN + LINE_HEIGHT + legend.size() * LINE_HEIGHT;
    int height = top + Charts.HEIGHT + MARGIN;
    StringBuilder svg = new StringBuilder();
    svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" ")
        .append(size(width, height))
        .append(" viewBox=\"0 0 " + width + " " + height + "\"")
        // Sets a text colour for elements that inherit it; pages may be dark.
        .append(" style=\"color:#222\" font-family=\"sans-serif\" font-size=\"")
        .append(TEXT_SIZE)
        .append("\">\n<rect ")
        .append(size(width, height))
        .append(" fill=\"white\"/>\n")
        .append(text(MARGIN, MARGIN + TEXT_SIZE, plot.title(), " font-weight=\"bold\""));
    legend.forEach(svg::append);
    svg.append("<g transform=\"translate(" + MARGIN + "," + top + ")\">\n")
        .append(drawing)
        .append("\n</g>\n</svg>\n");
    return svg.toString();
  }

  private static String size(int width, int height) {
    return "width=\"" + width + "\" height=\"" + height + "\"";
  }

  /** The lines of the legend, each with as many names as fit. */
  private static List<String> legend(Plot plot, Palette palette, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    int x = MARGIN;
    for (String name : plot.seriesNames()) {
      int entryWidth = (int) (SWATCH + (name.length() + 4) * LETTER_WIDTH);
      if (x > MARGIN && x + entryWidth > width - MARGIN) {
        lines.add(line.toString());
        line.setLength(0);
        x = MARGIN;
      }
      int bottom = MARGIN + TEXT_SIZE + (lines.size() + 1) * LINE_HEIGHT;
      line.append("<rect x=\"" + x + "\" y=\"" + (bottom - SWATCH + 2) + "\" ")
          .append(size(SWATCH, SWATCH))
          .append(" fill=\"" + palette.css(name) + "\"/>")
          .append(text(x + SWATCH + 4, bottom, name, ""));
      x += entryWidth;
    }
    lines.add(line.toString());
    return lines;
  }

  private static String text(int x, int y, String text, String attributes) {
    return "<text x=\""
        + x
        + "\" y=\""
        + y
        + "\""
        + attributes
        + ">"
        + Html.escape(text)
        + "</text>\n";
  }
}
