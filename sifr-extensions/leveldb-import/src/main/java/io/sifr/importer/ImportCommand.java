package io.sifr.importer;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.record.Json;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ConsoleCommandLine;
import io.sifr.cli.terminal.OutputClosedException;
import io.sifr.cli.terminal.Units;
import io.sifr.config.Compression;
import io.sifr.error.SifrException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command line of a program that makes a store of another store's data. */
@Command(
    mixinStandardHelpOptions = true,
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
public abstract class ImportCommand implements Callable<Integer> {
  static final int OK = 0;
  static final int USAGE = 2;
  static final int UNUSABLE = 4;
  static final int INTERNAL = 70;
  static final int STOPPED = 130;
  static final int OUTPUT_CLOSED = 141;

  private final String name;
  private final Console console;
  private final Cleanup cleanup;

  @Parameters(index = "0", paramLabel = "SOURCE", description = "What is imported.")
  private Path source = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "TARGET",
      description = "Directory of the store; nothing may be there.")
  private Path target = Path.of("");

  @Option(
      names = "--compression",
      paramLabel = "VALUE",
      description = {
        "How databases store blocks from then on: ${COMPLETION-CANDIDATES}. Default: LZ4 if SOURCE is"
            + " compressed, and otherwise as the store is set."
      })
  private @Nullable Compression compression;

  @Option(names = "--json", description = "Write JSON.")
  private boolean json;

  @Option(names = "--verbose", description = "Show the stack trace of a failure.")
  private boolean verbose;

  /** A program of that name. */
  protected ImportCommand(String name, Console console, Cleanup cleanup) {
    this.name = name;
    this.console = console;
    this.cleanup = cleanup;
  }

  /** Opens what is imported, as the options say. */
  protected abstract ImportSource open(Path source) throws IOException;

  /** Writes the fields that say what was imported. */
  protected void writeContents(JsonGenerator generator, ImportResult result) throws IOException {
    generator.writeArrayFieldStart("databases");
    for (ImportResult.Part part : result.databases()) {
      generator.writeStartObject();
      generator.writeStringField("database", part.database());
      generator.writeNumberField("entries", part.entries());
      generator.writeNumberField("bytes", part.bytes());
      generator.writeEndObject();
    }
    generator.writeEndArray();
  }

  /** What the user has to know of an import that is done, or null. */
  protected @Nullable String warning() {
    return null;
  }

  /** Lines that say more of an import that is done. */
  protected List<String> details(ImportResult result) {
    return List.of();
  }

  /** Runs the program, and ends the process with its exit code. */
  public final void runProcess(String... args) {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> cleanup.stop(this::report), "sifr-cleanup"));
    int exitCode;
    try {
      exitCode = execute(args);
    } catch (Error e) {
      exitCode = report(e);
    }
    cleanup.exit(exitCode);
  }

  /** Runs a command line and returns the exit code. */
  public final int execute(String... args) {
    ConsoleCommandLine shared = new ConsoleCommandLine(console, name);
    CommandLine line = new CommandLine(this);
    @Nullable String version = getClass().getPackage().getImplementationVersion();
    line.getCommandSpec().version(name + " " + (version == null ? "(not packaged)" : version));
    return shared
        .attach(line)
        .setParameterExceptionHandler(
            (failure, words) -> {
              shared.tellMisuse(failure, verbose);
              return USAGE;
            })
        .setExecutionExceptionHandler(
            (failure, failed, parsed) -> cleanup.isStopping() ? STOPPED : report(failure))
        .execute(args);
  }

  @Override
  public final Integer call() throws IOException {
    long begin = System.nanoTime();
    ImportResult result;
    try (ImportProgress progress = new ImportProgress(console)) {
      Import task = new Import(target, compression, progress);
      result = cleanup.during(progress::stop, () -> run(task));
    }
    report(result, System.nanoTime() - begin);
    return OK;
  }

  private ImportResult run(Import task) {
    try {
      return task.run(() -> open(source));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void report(ImportResult result, long nanos) throws IOException {
    @Nullable String warning = warning();
    if (warning != null) {
      console.err().println(name + ": " + warning);
    }
    if (json) {
      try (JsonGenerator generator = Json.generator(console.out())) {
        generator.writeStartObject();
        generator.writeNumberField("importedEntries", result.entries());
        generator.writeNumberField("importedBytes", result.bytes());
        writeContents(generator, result);
        generator.writeStringField("compression", result.compression().name());
        generator.writeNumberField("importSeconds", Units.seconds(nanos));
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
      for (String line : details(result)) {
        console.println(line);
      }
    }
  }

  /** Reports a failure and returns its exit code. */
  private int report(Throwable failure) {
    Throwable cause =
        failure instanceof UncheckedIOException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof OutputClosedException) {
      return OUTPUT_CLOSED;
    }
    String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    ConsoleCommandLine shared = new ConsoleCommandLine(console, name);
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
