package io.sifr.bench.report;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text as Markdown. */
final class Markdown {
  private static final Pattern SPECIAL = Pattern.compile("[\\\\`*_{}\\[\\]<>#|~]|&(?=[#\\w])");
  // Text that at the beginning of a line would begin a list or be a rule.
  private static final Pattern OPENING = Pattern.compile("[-+](?=[\\s-]|$)|\\d+[.)](?=\\s|$)");
  private static final Pattern BACKTICKS = Pattern.compile("`+");

  private Markdown() {}

  /** Text without markup, on one line. */
  static String escape(String text) {
    String line = SPECIAL.matcher(text.strip().replaceAll("\\s*\\R\\s*", " ")).replaceAll("\\\\$0");
    Matcher opening = OPENING.matcher(line);
    return opening.lookingAt()
        ? line.substring(0, opening.end() - 1) + "\\" + line.substring(opening.end() - 1)
        : line;
  }

  /** Preformatted lines. */
  static String fenced(String lines) {
    int longest =
        BACKTICKS.matcher(lines).results().mapToInt(run -> run.group().length()).max().orElse(0);
    String fence = "`".repeat(Math.max(3, longest + 1));
    return fence + "\n" + lines.stripTrailing() + "\n" + fence;
  }
}
