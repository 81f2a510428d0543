package io.sifr.cli.terminal;

import java.util.List;
import java.util.Map;

/**
 * Properties of the terminal the process runs in, if it runs in one.
 *
 * @param outIsTerminal whether standard output is a terminal
 * @param errIsTerminal whether standard error is a terminal that can redraw a line
 * @param columns characters of a line
 * @param colour whether colours are wanted if there is a terminal
 */
public record TerminalTraits(
    boolean outIsTerminal, boolean errIsTerminal, int columns, boolean colour) {
  /** No terminal at all. */
  public static final TerminalTraits NONE = new TerminalTraits(false, false, 80, false);

  private static final int DEFAULT_COLUMNS = 80;
  private static final int LEAST_COLUMNS = 40;

  /**
   * Reads the environment. The start script sets SIFR_TTY to those of {@code out} and {@code err}
   * that are terminals, because Java 17 only says whether all of them are, and COLUMNS to their
   * width. Without the script no stream counts as a terminal. NO_COLOR with any value turns colours
   * off; TERM=dumb also turns the bar off.
   */
  public static TerminalTraits of(Map<String, String> environment) {
    List<String> terminals = List.of(environment.getOrDefault("SIFR_TTY", "").split(" "));
    boolean dumb = environment.getOrDefault("TERM", "dumb").equals("dumb");
    boolean colour = environment.getOrDefault("NO_COLOR", "").isEmpty() && !dumb;
    return new TerminalTraits(
        terminals.contains("out"),
        terminals.contains("err") && !dumb,
        columns(environment.getOrDefault("COLUMNS", "")),
        colour);
  }

  private static int columns(String text) {
    try {
      return Math.max(Integer.parseInt(text), LEAST_COLUMNS);
    } catch (NumberFormatException e) {
      return DEFAULT_COLUMNS;
    }
  }
}
