package io.sifr.cli;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;

/** The {@code sifr} command, under which the others hang. */
@Command(
    name = "sifr",
    description = "Reads, writes, measures and checks Sifr stores.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = SifrCommand.Version.class,
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      ExitCodes.OK + ":done",
      ExitCodes.NOT_FOUND + ":get - the key has no value",
      ExitCodes.USAGE + ":the command line is wrong",
      ExitCodes.FINDINGS + ":check, inspect, demo - something is wrong in the store",
      ExitCodes.UNUSABLE + ":the store, the database or a file cannot be used",
      ExitCodes.BAD_INPUT + ":load - a line of the input is not an entry",
      ExitCodes.INTERNAL + ":a mistake of this program",
      "127:no Java 17 or newer was found, or the program could not be built",
      ExitCodes.STOPPED + ":stopped by SIGINT; 143 by SIGTERM",
      ExitCodes.OUTPUT_CLOSED + ":the reader of the output went away"
    })
final class SifrCommand {
  private final CliContext context;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of a failure.")
  private boolean verbose;

  SifrCommand(CliContext context) {
    this.context = context;
  }

  public static void main(String[] args) {
    SifrCommand command = new SifrCommand(new CliContext(Console.ofProcess(), new Cleanup()));
    FailureHandler failures = command.failures();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> command.context.cleanup().stop(failures::report), "sifr-cleanup"));
    int exitCode;
    try {
      exitCode = command.execute(args);
    } catch (Error e) {
      exitCode = failures.report(e);
    }
    System.exit(exitCode);
  }

  /** Runs a command line and returns the exit code. */
  int execute(String... args) {
    return commandLine().execute(args);
  }

  private FailureHandler failures() {
    return new FailureHandler(context, () -> verbose);
  }

  private CommandLine commandLine() {
    CommandLine line = new CommandLine(this);
    line.addSubcommand(new PutCommand(context))
        .addSubcommand(new GetCommand(context))
        .addSubcommand(new DeleteCommand(context))
        .addSubcommand(new ScanCommand(context))
        .addSubcommand(new LoadCommand(context))
        .addSubcommand(new ExportCommand(context))
        .addSubcommand(new StatsCommand(context))
        .addSubcommand(new ForestCommand(context))
        .addSubcommand(new CheckCommand(context))
        .addSubcommand(new InspectCommand(context))
        .addSubcommand(new CompactCommand(context))
        .addSubcommand(DatabasesCommand.commandLine(context))
        .addSubcommand(new DemoCommand(context))
        .addSubcommand(new DemoWriterCommand(context))
        .addSubcommand(new GenerateCompletion());
    boolean colour = context.console().traits().colour();
    FailureHandler failures = failures();
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setColorScheme(
            Help.defaultColorScheme(
                colour && context.console().traits().outIsTerminal() ? Ansi.ON : Ansi.OFF))
        .setOut(writer(context.console().out()))
        .setErr(writer(context.console().err()))
        .setParameterExceptionHandler(failures)
        .setExecutionExceptionHandler(failures)
        .setExecutionStrategy(this::runAndFlush);
  }

  private static PrintWriter writer(OutputStream out) {
    return new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true);
  }

  /** A command is done when its output has arrived, and only then. */
  private int runAndFlush(ParseResult parsed) {
    int exitCode = new RunLast().execute(parsed);
    try {
      context.console().flush();
    } catch (IOException e) {
      throw new ExecutionException(parsed.commandSpec().commandLine(), e.getMessage(), e);
    }
    return exitCode;
  }

  /** Reads the version that the build wrote into the manifest. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = SifrCommand.class.getPackage().getImplementationVersion();
      return new String[] {"sifr " + (version == null ? "(development)" : version)};
    }
  }
}
