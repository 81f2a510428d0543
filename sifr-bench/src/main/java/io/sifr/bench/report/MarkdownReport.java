package io.sifr.bench.report;

import freemarker.template.TemplateMethodModelEx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A report as Markdown with GitHub's tables; plots become tables of their values. */
public final class MarkdownReport {
  private static final Pattern SPECIAL = Pattern.compile("[\\\\`*_{}\\[\\]<>#|~]|&(?=[#\\w])");
  // Text that at the beginning of a line would begin a list or be a rule.
  private static final Pattern OPENING = Pattern.compile("[-+](?=[\\s-]|$)|\\d+[.)](?=\\s|$)");
  private static final Pattern BACKTICKS = Pattern.compile("`+");

  private MarkdownReport() {}

  /** Writes a report to a file, which is replaced if there is one. */
  public static void write(Report report, Path file) throws IOException {
    Files.writeString(file, text(report));
  }

  /** The text of a report. */
  public static String text(Report report) {
    TemplateMethodModelEx escape = arguments -> escape(arguments.get(0).toString());
    TemplateMethodModelEx fence = arguments -> fence(arguments.get(0).toString());
    return Templates.fill(
        "report.md.ftl",
        Map.of(
            "report", report,
            "nothingToDraw", Figures.NOTHING_TO_DRAW,
            "escape", escape,
            "fence", fence));
  }

  /** Text without markup, on one line. */
  private static String escape(String text) {
    String line = SPECIAL.matcher(text.strip().replaceAll("\\s*\\R\\s*", " ")).replaceAll("\\\\$0");
    Matcher opening = OPENING.matcher(line);
    return opening.lookingAt()
        ? line.substring(0, opening.end() - 1) + "\\" + line.substring(opening.end() - 1)
        : line;
  }

  /** What encloses preformatted lines: longer than any such line in them. */
  private static String fence(String lines) {
    int longest =
        BACKTICKS.matcher(lines).results().mapToInt(run -> run.group().length()).max().orElse(0);
    return "`".repeat(Math.max(3, longest + 1));
  }
}
