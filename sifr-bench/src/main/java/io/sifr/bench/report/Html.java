package io.sifr.bench.report;

import com.google.common.html.HtmlEscapers;
import io.sifr.bench.report.Block.Table;
import java.util.List;

/** Elements of HTML that are well-formed XML too. */
final class Html {
  // Not allowed in XML and HTML: control characters and halves of surrogate pairs.
  private static final String FORBIDDEN =
      "[^\\t\\n\\r\\x{20}-\\x{D7FF}\\x{E000}-\\x{FFFD}\\x{10000}-\\x{10FFFF}]";

  private Html() {}

  /** Text without characters that are not allowed in any form. */
  static String allowed(String text) {
    return text.replaceAll(FORBIDDEN, "\uFFFD");
  }

  /** Text between tags or in an attribute. */
  static String escape(String text) {
    return HtmlEscapers.htmlEscaper().escape(allowed(text));
  }

  /** An element on a line of its own with nothing but text. */
  static String element(String name, String text) {
    return "<" + name + ">" + escape(text) + "</" + name + ">\n";
  }

  /** A table that scrolls when the page is narrow. */
  static String table(Table table) {
    StringBuilder html = new StringBuilder("<div class=\"scroll\" tabindex=\"0\">\n<table>\n");
    html.append("<thead>\n").append(row("th", table.headers(), table)).append("</thead>\n");
    html.append("<tbody>\n");
    table.rows().forEach(cells -> html.append(row("td", cells, table)));
    return html.append("</tbody>\n</table>\n</div>\n").toString();
  }

  private static String row(String element, List<String> cells, Table table) {
    StringBuilder html = new StringBuilder("<tr>");
    for (int column = 0; column < cells.size(); column++) {
      html.append("<").append(element);
      html.append(table.holdsFigures(column) ? " class=\"figure\">" : ">");
      html.append(escape(cells.get(column))).append("</").append(element).append(">");
    }
    return html.append("</tr>\n").toString();
  }
}
