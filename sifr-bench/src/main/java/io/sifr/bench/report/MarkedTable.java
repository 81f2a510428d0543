package io.sifr.bench.report;

import io.sifr.bench.report.Report.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** A table within a page of Markdown that people write, between two marks that are not shown. */
public final class MarkedTable {
  private static final String BEGIN = "<!-- figures: written by sifr-bench -->\n";
  private static final String END = "<!-- end of figures -->\n";

  private MarkedTable() {}

  /**
   * Replaces what is between the marks.
   *
   * @param page the page, in UTF-8, with lines that end with LF
   * @throws IllegalArgumentException when it has no marks; the message says which
   */
  public static void replace(Path page, Block.Table table) throws IOException {
    String text = marked(page);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    Files.writeString(
        page,
        text.substring(0, begin) + "\n" + lines(table) + "\n" + text.substring(text.indexOf(END)));
  }

  /**
   * Throws what {@link #replace} would throw: before the figures are measured, which takes long.
   */
  public static void check(Path page) throws IOException {
    marked(page);
  }

  private static String marked(Path page) throws IOException {
    String text = Files.readString(page);
    int begin = text.indexOf(BEGIN);
    if (begin < 0 || text.indexOf(END) < begin) {
      throw new IllegalArgumentException(
          page + " has no place for figures; needed are two lines: " + BEGIN + END.strip());
    }
    return text;
  }

  private static String lines(Block.Table table) {
    String whole = MarkdownReport.text(new Report("", List.of(new Section("", List.of(table)))));
    return whole
        .lines()
        .filter(line -> line.startsWith("|"))
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }
}
