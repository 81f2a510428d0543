package io.sifr.cli;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ConsoleCommandLine;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The {@code sifr} command, under which the others hang. */
@Command(
    name = SifrCommand.NAME,
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
      ExitCodes.FINDINGS + ":check, inspect, salvage, demo - something is wrong in the store",
      ExitCodes.UNUSABLE + ":the store, the database or a file cannot be used",
      ExitCodes.BAD_INPUT + ":load - a line of the input is not an entry",
      ExitCodes.INTERNAL + ":a mistake of this program",
      "127:no Java 17 or newer was found, or the program could not be built",
      ExitCodes.STOPPED + ":stopped by SIGINT; 143 by SIGTERM",
      ExitCodes.OUTPUT_CLOSED + ":the reader of the output went away"
    })
final class SifrCommand {
  /** As its user types it. */
  static final String NAME = "sifr";

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
        .addSubcommand(new SalvageCommand(context))
        .addSubcommand(new CompactCommand(context))
        .addSubcommand(DatabasesCommand.commandLine(context))
        .addSubcommand(new DemoCommand(context))
        .addSubcommand(new DemoWriterCommand(context))
        .addSubcommand(new GenerateCompletion());
    FailureHandler failures = failures();
    return new ConsoleCommandLine(context.console(), NAME)
        .attach(line)
        .setParameterExceptionHandler(failures)
        .setExecutionExceptionHandler(failures);
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
