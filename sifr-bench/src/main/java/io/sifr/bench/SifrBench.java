package io.sifr.bench;

import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.process.MemoryLimitException;
import io.sifr.bench.workload.WrongAnswerException;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ConsoleCommandLine;
import io.sifr.error.SifrException;
import java.io.IOException;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** The {@code sifr-bench} command, whose subcommands are all others. */
@Command(
    name = SifrBench.NAME,
    description = "Measures Sifr and the stores it competes with, and checks every answer.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = SifrBench.Version.class,
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      ExitCodes.OK + ":done",
      ExitCodes.USAGE + ":the command line is wrong",
      ExitCodes.WRONG_ANSWER + ":a store gave a wrong answer",
      ExitCodes.FAILED + ":a store, a file or a child process failed",
      ExitCodes.INTERNAL + ":a defect of this program",
      "127:no Java 17 or newer was found, or the program could not be built",
      ExitCodes.STOPPED + ":stopped by SIGINT; 143 by SIGTERM"
    })
public final class SifrBench {
  /** The name by which users call it. */
  static final String NAME = "sifr-bench";

  private final Console console;
  private final Cleanup cleanup;
  private final ConsoleCommandLine commandLine;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of a failure.")
  private boolean verbose;

  SifrBench(Console console, Cleanup cleanup) {
    this.console = console;
    this.cleanup = cleanup;
    this.commandLine = new ConsoleCommandLine(console, NAME);
  }

  /** Runs a command line and ends the process with its exit code, or that of a signal. */
  public static void main(String[] args) {
    Cleanup cleanup = new Cleanup();
    SifrBench bench = new SifrBench(Console.ofProcess(), cleanup);
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> cleanup.stop(bench::failed), "bench-cleanup"));
    cleanup.exit(bench.execute(args));
  }

  /** Runs a command line and returns its exit code. */
  int execute(String... args) {
    CommandLine line =
        new CommandLine(this)
            .addSubcommand(new RunCommand(console, cleanup, () -> verbose))
            .addSubcommand(new CompareCommand(console, cleanup))
            .addSubcommand(new ExperimentCommand(console, cleanup))
            .addSubcommand(new MicroCommand());
    return commandLine
        .attach(line)
        .setParameterExceptionHandler((failure, arguments) -> misused(failure))
        .setExecutionExceptionHandler((failure, command, parsed) -> ended(failure))
        .execute(args);
  }

  private int misused(ParameterException failure) {
    commandLine.tellMisuse(failure, verbose);
    return ExitCodes.USAGE;
  }

  /** A failure caused by stopping the process is not reported. */
  private int ended(Exception failure) {
    return cleanup.isStopping() ? ExitCodes.STOPPED : failed(failure);
  }

  /** Reports a failure and returns its exit code. */
  int failed(Exception failure) {
    String message = failure.getMessage();
    if (failure instanceof WrongAnswerException) {
      return tell("wrong answer: " + message, failure, ExitCodes.WRONG_ANSWER);
    } else if (failure instanceof IllegalArgumentException) {
      // Commands pass on the user's arguments, so an illegal argument is the user's.
      return tell(message == null ? failure.toString() : message, failure, ExitCodes.USAGE);
    } else if (failure instanceof SifrException || failure instanceof MemoryLimitException) {
      return tell(message == null ? failure.toString() : message, failure, ExitCodes.FAILED);
    } else if (failure instanceof IOException || failure instanceof UncheckedIOException) {
      return tell(failure.toString(), failure, ExitCodes.FAILED);
    }
    return tell("unexpected " + failure, failure, ExitCodes.INTERNAL);
  }

  private int tell(String message, Exception failure, int exitCode) {
    commandLine.tell(message, failure, verbose);
    return exitCode;
  }

  /** Reads the version that the build wrote into the manifest. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = SifrBench.class.getPackage().getImplementationVersion();
      return new String[] {"sifr-bench " + (version == null ? "(development)" : version)};
    }
  }
}
