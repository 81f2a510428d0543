package io.sifr.cli.terminal;

import java.util.List;
import java.util.Map;

/**
 * What is known about the terminal the process runs in, if it runs in one.
 *
 * @param outIsTerminal whether standard output is a terminal
 * @param errIsTerminal whether standard error is a terminal that can redraw a line
 * @param columns characters of a line
 * @param colour whether colours are wanted, where there is a terminal
 */
public record TerminalTraits(
    boolean outIsTerminal, boolean errIsTerminal, int columns, boolean colour) {
  /** No terminal at all. */
  public static final TerminalTraits NONE = new TerminalTraits(false, false, 80, false);

  private static final int DEFAULT_COLUMNS = 80;
  private static final int LEAST_COLUMNS = 40;

  /**
   * Reads the environment. The start script tells in SIFR_TTY which of {@code out} and {@code err}
   * are terminals, because Java 17 only knows whether all of them are, and in COLUMNS how wide they
   * are. Without the script nothing is taken for a terminal. NO_COLOR with any value turns colours
   * off, TERM=dumb the bar too.
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
