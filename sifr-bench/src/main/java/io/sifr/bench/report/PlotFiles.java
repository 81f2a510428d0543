package io.sifr.bench.report;

import io.sifr.bench.report.Block.Plot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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
    Drawings drawings = new Drawings(palette);
    List<Path> files = new ArrayList<>();
    for (Report.Section section : report.sections()) {
      int number = 0;
      for (Block block : section.blocks()) {
        if (block instanceof Plot plot && !plot.isEmpty()) {
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
    List<Entry> legend = legend(plot, width);
    int top = legend.get(legend.size() - 1).y() + LINE_HEIGHT - TEXT_SIZE;
    return Templates.fill(
        "plot.ftlx",
        Map.of(
            "plot", plot,
            "palette", palette,
            "drawing", drawing,
            "legend", legend,
            "width", width,
            "height", top + Charts.HEIGHT + MARGIN,
            "top", top,
            "margin", MARGIN,
            "textSize", TEXT_SIZE));
  }

  /**
   * A name of the legend. Public for templates.
   *
   * @param x where its colour begins
   * @param y where its text stands
   * @param swatch size of its colour
   */
  public record Entry(String name, int x, int y, int swatch) {}

  /** The names of a plot that is not empty, in as many lines as they need. */
  private static List<Entry> legend(Plot plot, int width) {
    List<Entry> legend = new ArrayList<>();
    int x = MARGIN;
    int y = MARGIN + TEXT_SIZE + LINE_HEIGHT;
    for (String name : plot.seriesNames()) {
      int entryWidth = (int) (SWATCH + (name.length() + 4) * LETTER_WIDTH);
      if (x > MARGIN && x + entryWidth > width - MARGIN) {
        x = MARGIN;
        y += LINE_HEIGHT;
      }
      legend.add(new Entry(name, x, y, SWATCH));
      x += entryWidth;
    }
    return legend;
  }
}
