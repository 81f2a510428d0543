package io.sifr.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A report as Markdown with GitHub's tables; plots become tables of their values. */
public final class MarkdownReport {
  private final StringBuilder markdown = new StringBuilder();

  private MarkdownReport() {}

  /** Writes a report to a file, which is replaced if there is one. */
  public static void write(Report report, Path file) throws IOException {
    Files.writeString(file, text(report));
  }

  /** The text of a report. */
  public static String text(Report report) {
    return new MarkdownReport().render(report);
  }

  private String render(Report report) {
    markdown.append("# ").append(Markdown.escape(report.title())).append('\n');
    for (Report.Section section : report.sections()) {
      paragraph("## " + Markdown.escape(section.title()));
      section.blocks().forEach(this::block);
    }
    return markdown.toString();
  }

  private void block(Block block) {
    if (block instanceof Block.Text text) {
      paragraph(Markdown.escape(text.text()));
    } else if (block instanceof Block.Missing missing) {
      paragraph("> **Missing:** " + Markdown.escape(missing.text()));
    } else if (block instanceof Block.Code code) {
      paragraph(Markdown.fenced(code.text()));
    } else if (block instanceof Block.Table table) {
      paragraph(table(table));
    } else if (block instanceof Block.Plot plot) {
      plot(plot);
    } else {
      throw new AssertionError("a kind of block without Markdown: " + block);
    }
  }

  private void plot(Block.Plot plot) {
    paragraph(
        "**" + Markdown.escape(plot.title()) + "** (" + Markdown.escape(plot.y().label()) + ")");
    if (Figures.isEmpty(plot)) {
      paragraph("> " + Figures.NOTHING_TO_DRAW);
    }
    Block.Table figures = Figures.table(plot);
    if (!figures.rows().isEmpty()) {
      paragraph(table(figures));
    }
  }

  private void paragraph(String lines) {
    markdown.append('\n').append(lines).append('\n');
  }

  private static String table(Block.Table table) {
    String rules =
        IntStream.range(0, table.headers().size())
            .mapToObj(column -> table.holdsFigures(column) ? "--:" : "---")
            .collect(Collectors.joining(" | ", "| ", " |"));
    String rows = table.rows().stream().map(row -> "\n" + row(row)).collect(Collectors.joining());
    return row(table.headers()) + "\n" + rules + rows;
  }

  private static String row(List<String> cells) {
    return cells.stream().map(Markdown::escape).collect(Collectors.joining(" | ", "| ", " |"));
  }
}
