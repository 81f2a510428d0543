package io.sifr.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A report as one self-contained page of HTML that is also well-formed XML. If the JVM cannot draw,
 * tables of values replace the plots.
 */
public final class HtmlReport {
  private HtmlReport() {}

  /** Writes a report to a file, which is replaced if there is one. */
  public static void write(Report report, Path file) throws IOException {
    Files.writeString(file, text(report, TextDrawing.obstacle()));
  }

  /**
   * The page.
   *
   * @param obstacle why plots cannot be drawn; null if they can
   */
  static String text(Report report, @Nullable String obstacle) {
    Palette palette = new Palette(report);
    Map<String, Object> content = new HashMap<>();
    content.put("report", report);
    content.put("palette", palette);
    content.put("drawings", new Drawings(palette));
    content.put("nothingToDraw", Figures.NOTHING_TO_DRAW);
    if (obstacle != null) {
      content.put("obstacle", obstacle);
    }
    return Templates.fill("report.ftlh", content);
  }
}
