package io.sifr.cli;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ConsoleCommandLine;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code sifr} command, whose subcommands are all others. */
@Command(
    name = SifrCommand.NAME,
    description = "Reads, writes, measures and checks Sifr stores.",
    scope = ScopeType.INHERIT,
    versionProvider = SifrCommand.Version.class,
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "Examples:%n",
    footer = {"  sifr put --db fruit apple red", "  sifr get --help"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      ExitCodes.OK + ":done",
      ExitCodes.NOT_FOUND + ":get - the key has no value",
      ExitCodes.USAGE + ":the command line is wrong",
      ExitCodes.FINDINGS
          + ":check, inspect, salvage, backup, demo - something is wrong in the store or the backup",
      ExitCodes.UNUSABLE + ":the store, the database or a file cannot be used",
      ExitCodes.BAD_INPUT
          + ":load - a line of the input is not an entry; export - an entry cannot be written in the"
          + " format",
      ExitCodes.INTERNAL + ":a defect of this program",
      "127:no Java 17 or newer was found, or the program could not be built",
      ExitCodes.STOPPED + ":stopped by SIGINT; 143 by SIGTERM",
      ExitCodes.OUTPUT_CLOSED + ":the reader of the output closed it"
    })
final class SifrCommand implements Callable<Integer> {
  /** The name by which users call it. */
  static final String NAME = "sifr";

  private final CliContext context;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = {"-h", "--help", HelpPages.ALL},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = {
        "Show this help; --help-all shows all of it.",
        "The settings of a store, where a command takes them, are also listed by sifr settings."
      })
  private boolean unusedHelp; // picocli reads what was matched

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  private boolean unusedVersion;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of a failure.")
  private boolean verbose;

  @Option(
      names = "--keys",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = {
        "File with the encryption keys of the store.",
        "New files are encrypted with the last key, old ones read with any. A line of it is a"
            + " number, a blank, and 64 hexadecimal digits."
      })
  void keys(Path file) {
    context.use(KeyFile.read(file));
  }

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
    command.context.cleanup().exit(exitCode);
  }

  /** Without a command: shows which there are. */
  @Override
  public Integer call() {
    Objects.requireNonNull(spec).commandLine().usage(context.console().err(), Help.Ansi.OFF);
    return ExitCodes.USAGE;
  }

  /** Runs a command line and returns the exit code. */
  int execute(String... args) {
    return commandLine(args).execute(args);
  }

  private FailureHandler failures() {
    return new FailureHandler(context, () -> verbose);
  }

  /**
   * Describing a command to picocli takes as long as many commands run: when the first argument
   * names a command, the others are left out. Help, suggestions and completion need all of them.
   */
  CommandLine commandLine(String... args) {
    CommandLine line = new CommandLine(this);
    Map<String, Supplier<Object>> commands = commands();
    Supplier<Object> called = args.length == 0 ? null : commands.get(args[0]);
    if (called != null) {
      line.addSubcommand(called.get());
    } else {
      commands.values().forEach(command -> line.addSubcommand(command.get()));
      line.addSubcommand(withOurHelp(new GenerateCompletion()));
      line.addSubcommand(withOurHelp(new HelpCommand()));
    }
    FailureHandler failures = failures();
    return new ConsoleCommandLine(context.console(), NAME)
        .attach(line)
        .setHelpFactory(new HelpPages())
        .setParameterExceptionHandler(failures)
        .setExecutionExceptionHandler(failures);
  }

  /** A command of picocli's, whose help option gives way to that of all commands. */
  private static CommandLine withOurHelp(Object command) {
    CommandLine line = new CommandLine(command);
    line.getCommandSpec().remove(line.getCommandSpec().findOption("--help"));
    return line;
  }

  /** The commands by name, in the order of the help. */
  private Map<String, Supplier<Object>> commands() {
    Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
    commands.put("put", () -> new PutCommand(context));
    commands.put("get", () -> new GetCommand(context));
    commands.put("merge", () -> new MergeCommand(context));
    commands.put("delete", () -> new DeleteCommand(context));
    commands.put("scan", () -> new ScanCommand(context));
    commands.put("changes", () -> new ChangesCommand(context));
    commands.put("count", () -> new CountCommand(context));
    commands.put("load", () -> new LoadCommand(context));
    commands.put("export", () -> new ExportCommand(context));
    commands.put("stats", () -> new StatsCommand(context));
    commands.put("forest", () -> new ForestCommand(context));
    commands.put("serve", () -> new ServeCommand(context));
    commands.put("check", () -> new CheckCommand(context));
    commands.put("inspect", () -> new InspectCommand(context));
    commands.put("salvage", () -> new SalvageCommand(context));
    commands.put("checkpoint", () -> new CheckpointCommand(context));
    commands.put("backup", () -> BackupCommand.commandLine(context));
    commands.put("restore", () -> new RestoreCommand(context));
    commands.put("compact", () -> new CompactCommand(context));
    commands.put("databases", () -> DatabasesCommand.commandLine(context));
    commands.put("settings", () -> new SettingsCommand(context));
    commands.put("demo", () -> new DemoCommand(context));
    commands.put("demo-writer", () -> new DemoWriterCommand(context));
    return commands;
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
