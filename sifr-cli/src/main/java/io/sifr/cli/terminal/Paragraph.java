package io.sifr.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Breaks text between words so that it fits the terminal. */
public final class Paragraph {
  private Paragraph() {}

  /**
   * The lines of a text with a label before it. A word that is longer than a line gets a line of
   * its own.
   *
   * @param label what begins the first line; the others are indented by as much
   * @param text words, divided by single spaces
   * @param columns of the terminal
   */
  public static List<String> lines(String label, String text, int columns) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder(label);
    boolean begun = false;
    for (String word : text.split(" ", -1)) {
      if (begun && line.length() + 1 + word.length() > columns) {
        lines.add(line.toString());
        line = new StringBuilder(" ".repeat(label.length()));
        begun = false;
      }
      line.append(begun ? " " : "").append(word);
      begun = true;
    }
    lines.add(line.toString());
    return lines;
  }
}
