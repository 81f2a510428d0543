package io.sifr.leveldb.importer;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.Store;
import io.sifr.cli.record.Json;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ConsoleCommandLine;
import io.sifr.cli.terminal.OutputClosedException;
import io.sifr.cli.terminal.Units;
import io.sifr.config.Compression;
import io.sifr.error.SifrException;
import io.sifr.leveldb.importer.source.SourceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code sifr-import-leveldb}. */
@Command(
    name = ImportCommand.NAME,
    description = {
      "Makes a Sifr store in the new directory TARGET of the LevelDB directory SOURCE, and compares all"
          + " entries of both.",
      "SOURCE is only read, and must not be open elsewhere: what locks it is respected, and an import"
          + " during which a file of it changed is refused. Beside TARGET, room is needed for the"
          + " entries twice."
    },
    mixinStandardHelpOptions = true,
    versionProvider = ImportCommand.Version.class,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      ImportCommand.OK + ":done",
      ImportCommand.USAGE + ":the command line is wrong",
      ImportCommand.UNUSABLE
          + ":SOURCE cannot be imported, or TARGET not be written; then there is no store",
      ImportCommand.INTERNAL + ":a defect of this program",
      "127:no Java 17 or newer was found, or the program could not be built",
      ImportCommand.STOPPED + ":stopped by SIGINT; 143 by SIGTERM",
      ImportCommand.OUTPUT_CLOSED + ":the reader of the output closed it"
    })
final class ImportCommand implements Callable<Integer> {
  static final String NAME = "sifr-import-leveldb";

  static final int OK = 0;
  static final int USAGE = 2;
  static final int UNUSABLE = 4;
  static final int INTERNAL = 70;
  static final int STOPPED = 130;
  static final int OUTPUT_CLOSED = 141;

  private final Console console;
  private final Cleanup cleanup;

  @Parameters(index = "0", paramLabel = "SOURCE", description = "Directory of LevelDB.")
  private Path source = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "TARGET",
      description = "Directory of the store; nothing may be there.")
  private Path target = Path.of("");

  @Option(
      names = "--database",
      paramLabel = "NAME",
      defaultValue = Store.DEFAULT_DATABASE,
      description = "Database that gets the entries. Default: ${DEFAULT-VALUE}.")
  private String database = Store.DEFAULT_DATABASE;

  @Option(
      names = "--compression",
      paramLabel = "VALUE",
      description = {
        "How the database stores blocks from then on: ${COMPLETION-CANDIDATES}. Default: LZ4 if"
            + " blocks of SOURCE are compressed, and otherwise as the store is set."
      })
  private @Nullable Compression compression;

  @Option(
      names = "--ignore-comparator",
      description = {
        "Import keys that are in an order of their own, in the order of their bytes. Keys that this"
            + " order takes for the same but that have other bytes become several."
      })
  private boolean ignoresComparator;

  @Option(
      names = "--until-damage",
      description = {
        "Import a directory with a damaged log: all writes before the damage, and none after it."
      })
  private boolean readsUntilDamage;

  @Option(names = "--json", description = "Write JSON.")
  private boolean json;

  @Option(names = "--verbose", description = "Show the stack trace of a failure.")
  private boolean verbose;

  ImportCommand(Console console, Cleanup cleanup) {
    this.console = console;
    this.cleanup = cleanup;
  }

  /** Tells the version that is in the jar. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = ImportCommand.class.getPackage().getImplementationVersion();
      return new String[] {NAME + " " + (version == null ? "(not packaged)" : version)};
    }
  }

  /** Runs a command line and returns the exit code. */
  int execute(String... args) {
    ConsoleCommandLine shared = new ConsoleCommandLine(console, NAME);
    return shared
        .attach(new CommandLine(this))
        .setParameterExceptionHandler(
            (failure, words) -> {
              shared.tellMisuse(failure, verbose);
              return USAGE;
            })
        .setExecutionExceptionHandler(
            (failure, line, parsed) -> cleanup.isStopping() ? STOPPED : report(failure))
        .execute(args);
  }

  @Override
  public Integer call() throws IOException {
    long begin = System.nanoTime();
    ImportResult result;
    try (ImportProgress progress = new ImportProgress(console)) {
      SourceOptions options =
          new SourceOptions(
              ignoresComparator, readsUntilDamage, SourceOptions.defaultSortMemoryBytes());
      Import task = new Import(source, target, database, compression, options, progress);
      result = cleanup.during(progress::stop, () -> run(task));
    }
    report(result, System.nanoTime() - begin);
    return OK;
  }

  private static ImportResult run(Import task) {
    try {
      return task.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void report(ImportResult result, long nanos) throws IOException {
    if (result.omission() != null) {
      console
          .err()
          .println(NAME + ": what was written after this is missing: " + result.omission());
    }
    if (json) {
      try (JsonGenerator generator = Json.generator(console.out())) {
        generator.writeStartObject();
        generator.writeNumberField("importedEntries", result.entries());
        generator.writeNumberField("importedBytes", result.bytes());
        generator.writeNumberField("tables", result.tables());
        generator.writeNumberField("logs", result.logs());
        generator.writeStringField("database", database);
        generator.writeStringField("compression", result.compression().name());
        generator.writeNumberField("importSeconds", Units.seconds(nanos));
        if (result.omission() != null) {
          generator.writeStringField("damage", result.omission());
        }
        generator.writeEndObject();
      }
      console.out().write('\n');
    } else {
      console.println(
          String.format(
              Locale.ROOT,
              "imported %s, %s, into %s in %.2f s, and compared them; compression: %s",
              Units.entries(result.entries()),
              Units.bytes(result.bytes()),
              target,
              Units.seconds(nanos),
              result.compression()));
    }
  }

  /** Reports a failure and returns its exit code. */
  int report(Throwable failure) {
    Throwable cause =
        failure instanceof UncheckedIOException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof OutputClosedException) {
      return OUTPUT_CLOSED;
    }
    String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    ConsoleCommandLine shared = new ConsoleCommandLine(console, NAME);
    if (cause instanceof OutOfMemoryError) {
      shared.tell(
          source
              + " cannot be imported: the heap is too small for its largest values ("
              + reason
              + "); SIFR_JAVA_OPTS=-Xmx4g gives it 4 GiB",
          cause,
          verbose);
      return UNUSABLE;
    } else if (cause instanceof IllegalArgumentException) {
      shared.tell(reason, cause, verbose);
      return USAGE;
    } else if (cause instanceof IOException || cause instanceof SifrException) {
      boolean isOfSource = cause instanceof SourceException;
      shared.tell(
          (isOfSource ? source + " cannot be imported: " : target + " cannot be made: ") + reason,
          cause,
          verbose);
      return UNUSABLE;
    }
    shared.tell("unexpected " + cause, cause, verbose);
    return INTERNAL;
  }
}
