package io.sifr.cli.terminal;

import io.sifr.config.Spelling;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.UnmatchedArgumentException;

/** The user interface that the command lines of this project's programs share. */
public final class ConsoleCommandLine {
  private final Console console;
  private final String program;

  /** For a program of that name. */
  public ConsoleCommandLine(Console console, String program) {
    this.console = console;
    this.program = program;
  }

  /** Connects a command line, with all its subcommands, to the console. */
  public CommandLine attach(CommandLine line) {
    TerminalTraits traits = console.traits();
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setColorScheme(
            Help.defaultColorScheme(traits.colour() && traits.outIsTerminal() ? Ansi.ON : Ansi.OFF))
        .setOut(writer(console.out()))
        .setErr(writer(console.err()))
        .setExecutionStrategy(this::runAndFlush);
  }

  private static PrintWriter writer(OutputStream out) {
    return new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true);
  }

  /** A command is done only when its output was written. */
  private int runAndFlush(ParseResult parsed) {
    int exitCode = new RunLast().execute(parsed);
    try {
      console.flush();
    } catch (IOException e) {
      throw new ExecutionException(parsed.commandSpec().commandLine(), e.getMessage(), e);
    }
    return exitCode;
  }

  /** Prints one line with what is wrong with a command line, and where to read more. */
  public void tellMisuse(ParameterException failure, boolean verbose) {
    tellMisuse(failure, "", verbose);
  }

  /**
   * The same with a suggestion of the program.
   *
   * @param suggestion what may have been meant, as a part of the line; empty if there is none
   */
  public void tellMisuse(ParameterException failure, String suggestion, boolean verbose) {
    String command = failure.getCommandLine().getCommandSpec().qualifiedName();
    tell(misuse(failure) + suggestion + " (see " + command + " --help)", failure, verbose);
  }

  private static String misuse(ParameterException failure) {
    String message = String.valueOf(failure.getMessage());
    if (!(failure instanceof UnmatchedArgumentException unmatched)) {
      return message;
    }
    String word = unmatched.getUnmatched().get(0).split("=", 2)[0];
    CommandSpec command = failure.getCommandLine().getCommandSpec();
    if (word.startsWith("-")) {
      return message + suggestion(word, options(command));
    }
    return command.subcommands().isEmpty()
        ? "unexpected argument: '" + word + "'"
        : "no such command: '" + word + "'" + suggestion(word, subcommands(command));
  }

  /** Not picocli's own suggestions, which compare only the first two letters of an option. */
  private static String suggestion(String word, List<String> known) {
    List<String> similar = Spelling.nearest(word, known);
    return similar.isEmpty() ? "" : "; did you mean " + String.join(" or ", similar) + "?";
  }

  private static List<String> options(CommandSpec command) {
    return command.options().stream()
        .filter(option -> !option.hidden())
        .flatMap(option -> Arrays.stream(option.names()))
        .toList();
  }

  private static List<String> subcommands(CommandSpec command) {
    return command.subcommands().entrySet().stream()
        .filter(entry -> !entry.getValue().getCommandSpec().usageMessage().hidden())
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * Prints one line with a failure.
   *
   * @param verbose whether the stack trace follows
   */
  public void tell(String message, Throwable failure, boolean verbose) {
    PrintStream err = console.err();
    err.println(program + ": " + message.strip().replaceAll("\\s*\\R\\s*", "; "));
    if (verbose) {
      failure.printStackTrace(err);
    }
  }
}
