package io.sifr.cli.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/** How the command lines of this project's programs speak to their user. */
public final class ConsoleCommandLine {
  private final Console console;
  private final String program;

  /** For a program of that name. */
  public ConsoleCommandLine(Console console, String program) {
    this.console = console;
    this.program = program;
  }

  /** Lets a command line, all its subcommands included, speak through the console. */
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

  /** A command is done when its output has arrived, and only then. */
  private int runAndFlush(ParseResult parsed) {
    int exitCode = new RunLast().execute(parsed);
    try {
      console.flush();
    } catch (IOException e) {
      throw new ExecutionException(parsed.commandSpec().commandLine(), e.getMessage(), e);
    }
    return exitCode;
  }

  /** Tells on one line what is wrong with a command line, and where to read more. */
  public void tellMisuse(ParameterException failure, boolean verbose) {
    String command = failure.getCommandLine().getCommandSpec().qualifiedName();
    tell(failure.getMessage() + " (see " + command + " --help)", failure, verbose);
  }

  /**
   * Tells on one line what went wrong.
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
