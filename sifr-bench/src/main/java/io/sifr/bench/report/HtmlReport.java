package io.sifr.bench.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A report as one self-contained page of HTML that is also well-formed XML. If the JVM cannot draw,
 * tables of values replace the plots.
 */
public final class HtmlReport {
  private final Report report;
  private final @Nullable String obstacle;
  private final HtmlPlots plots;
  private final StringBuilder html = new StringBuilder();

  private HtmlReport(Report report, @Nullable String obstacle) {
    this.report = report;
    this.obstacle = obstacle;
    this.plots = new HtmlPlots(new Palette(report), obstacle == null);
  }

  /** Writes a report to a file, which is replaced if there is one. */
  public static void write(Report report, Path file) throws IOException {
    Files.writeString(file, text(report, TextDrawing.obstacle()));
  }

  /**
   * The page.
   *
   * @param obstacle why plots cannot be drawn; null if they can
   */
  static String text(Report report, @Nullable String obstacle) throws IOException {
    return new HtmlReport(report, obstacle).page();
  }

  private String page() throws IOException {
    html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n")
        .append("<title>")
        .append(Html.escape(report.title()))
        .append("</title>\n<style>\n")
        .append(css())
        .append("</style>\n</head>\n<body>\n<main>\n");
    html.append(Html.element("h1", report.title()));
    contents();
    if (obstacle != null) {
      block(new Block.Missing(obstacle));
    }
    for (int i = 0; i < report.sections().size(); i++) {
      Report.Section section = report.sections().get(i);
      html.append("<section id=\"").append(anchor(i)).append("\">\n");
      html.append(Html.element("h2", section.title()));
      section.blocks().forEach(this::block);
      html.append("</section>\n");
    }
    return html.append("</main>\n</body>\n</html>\n").toString();
  }

  private void contents() {
    html.append("<nav aria-label=\"Contents\">\n<ol>\n");
    for (int i = 0; i < report.sections().size(); i++) {
      html.append("<li><a href=\"#").append(anchor(i)).append("\">");
      html.append(Html.escape(report.sections().get(i).title())).append("</a></li>\n");
    }
    html.append("</ol>\n</nav>\n");
  }

  private static String anchor(int section) {
    return "section-" + (section + 1);
  }

  private void block(Block block) {
    if (block instanceof Block.Text text) {
      html.append(Html.element("p", text.text()));
    } else if (block instanceof Block.Missing missing) {
      html.append("<p class=\"missing\"><strong>Missing:</strong> ")
          .append(Html.escape(missing.text()))
          .append("</p>\n");
    } else if (block instanceof Block.Code code) {
      html.append("<pre><code>").append(Html.escape(code.text())).append("</code></pre>\n");
    } else if (block instanceof Block.Table table) {
      html.append(Html.table(table));
    } else if (block instanceof Block.Plot plot) {
      html.append(plots.figure(plot));
    } else {
      throw new AssertionError("a kind of block without HTML: " + block);
    }
  }

  private static String css() throws IOException {
    try (InputStream in = HtmlReport.class.getResourceAsStream("report.css")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
