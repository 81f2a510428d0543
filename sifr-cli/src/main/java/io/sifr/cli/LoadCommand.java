package io.sifr.cli;

import io.sifr.Database;
import io.sifr.cli.demo.Workload;
import io.sifr.cli.record.RecordLayout;
import io.sifr.cli.record.RecordReader;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ProgressBar;
import io.sifr.cli.terminal.Units;
import io.sifr.config.StoreOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sifr load}. */
@Command(
    name = "load",
    footer = {
      "  sifr load --db fruit --header --key-column name table.csv",
      "  sifr load --db fruit --key-field id --on-error skip objects.jsonl"
    },
    description = {
      "Puts the entries of a file, or generated ones, into a database.",
      "Waits until the compactions that this makes due are done. The store is created when there is"
          + " none in the directory.",
      "When it is interrupted, it says how many entries are in the store, and how to go on.",
      "When a line is not an entry, the load ends there with exit code 5, and the entries of the lines"
          + " before it are loaded. Of entries with the same key the last one wins."
    })
final class LoadCommand implements Callable<Integer> {
  private static final long DEFAULT_ENTRIES = 1_000_000;

  private final CliContext context;

  @Mixin private final DirectoryOptionMixin directory = new DirectoryOptionMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final FormatMixin format = new FormatMixin();
  @Mixin private final JsonMixin json = new JsonMixin();
  @Mixin private final SettingsMixin settings = new SettingsMixin();

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description = "File to read; - is standard input, the default.")
  private @Nullable Path file;

  @Option(names = "--header", description = "TSV, CSV: the first line names the columns.")
  private boolean header;

  @Option(
      names = "--on-error",
      paramLabel = "ACTION",
      description = {
        "STOP (default) or SKIP what is not an entry.",
        "SKIP reports at the end how many there were and which were the first."
      })
  private @Nullable OnError onError;

  @Option(
      names = "--skip",
      paramLabel = "N",
      description = {
        "Pass over the first N lines, loaded before.",
        "A load that was interrupted says how many. The line of --header does not count, and a row"
            + " of CSV counts once."
      })
  private @Nullable Long skip;

  @Option(
      names = "--generate",
      paramLabel = "WORKLOAD",
      converter = WorkloadConverter.class,
      description = {
        "Load generated entries: random, ascending, …",
        "streams:N: N ascending streams that take turns. outliers:FRACTION: ascending, that fraction"
            + " of the keys from anywhere in the range written so far. Keys have 23 bytes, values 1"
            + " to 200."
      })
  private @Nullable Workload workload;

  @Option(
      names = "--entries",
      paramLabel = "N",
      description = "How many entries to generate. Default: " + DEFAULT_ENTRIES + ".")
  private @Nullable Long entries;

  @Option(
      names = "--bulk",
      description = {
        "Sort all entries and add them at once: faster.",
        "They are sorted on disk if they do not fit into memory; each is written twice at most."
            + " Nothing is in the database before the end. Needs space for all entries twice."
      })
  private boolean bulk;

  LoadCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (workload == null) {
      loadFile(file == null ? Path.of(StandardFile.NAME) : file);
    } else {
      generate(workload);
    }
    return ExitCodes.OK;
  }

  private OpenStore open(Path store) {
    return OpenStore.open(context, store, settings.options(StoreOptions.builder()));
  }

  private void generate(Workload generated) throws IOException {
    if (file != null
        || header
        || onError != null
        || skip != null
        || hex.isHex()
        || format.isChosen()) {
      throw new CommandFailure(
          ExitCodes.USAGE,
          "--generate cannot be given together with a file, nor with options for files");
    }
    long count = entries == null ? DEFAULT_ENTRIES : entries;
    if (count < 0) {
      throw new CommandFailure(ExitCodes.USAGE, "--entries is " + count + "; allowed: 0 and more");
    }
    Console console = context.console();
    try (OpenStore store = open(directory.directory());
        InterruptibleSink sink = sink(store, EntrySink.ofPuts(database.of(store)))) {
      Database target = database.of(store);
      GeneratedLoad load =
          duringStop(
              store,
              sink,
              () -> "; the same command loads all " + Units.entries(count),
              () -> GeneratedLoad.run(console, store.store(), target, sink, generated, count));
      if (json.isJson()) {
        JsonMixin.writeObject(console, load::writeFields);
      } else {
        load.writeText(console);
      }
    }
  }

  private void loadFile(Path source) throws IOException {
    if (entries != null) {
      throw new CommandFailure(ExitCodes.USAGE, "--entries needs --generate");
    } else if (skip != null && skip < 0) {
      throw new CommandFailure(ExitCodes.USAGE, "--skip is " + skip + "; allowed: 0 and more");
    }
    Console console = context.console();
    long begin = System.nanoTime();
    RecordLayout layout = format.of(source, hex);
    // The input is opened before the store: a wrong name should not create one.
    Path target = directory.directory();
    try (InputStream in = StandardFile.openInput(console, source)) {
      EntryLoader loader = load(target, layout.reader(in, header), size(source));
      report(loader, System.nanoTime() - begin);
    }
  }

  private EntryLoader load(Path target, RecordReader reader, long size) throws IOException {
    long rowsBefore = skip == null ? 0 : skip;
    try (OpenStore store = open(target);
        InterruptibleSink sink =
            sink(store, EntrySink.ofBatches(store.store(), database.of(store)));
        ProgressBar bar = ProgressBar.ofBytes(context.console(), "load", size)) {
      EntryLoader loader = new EntryLoader(sink, onError == null ? OnError.STOP : onError);
      return duringStop(
          store,
          sink,
          () -> "; the same command with --skip " + (rowsBefore + sink.rows()) + " goes on",
          () -> {
            loader.load(reader, rowsBefore, bar);
            store.store().awaitIdle();
            return loader;
          });
    }
  }

  private InterruptibleSink sink(OpenStore store, EntrySink usual) {
    return new InterruptibleSink(bulk ? EntrySink.ofBulkLoad(database.of(store)) : usual, bulk);
  }

  /**
   * Does the work of a load; when the process has to stop meanwhile, the sink is stopped, and the
   * user is told what is in the store.
   *
   * @param wayOn the end of what the user is told when a part is missing
   */
  private <T> T duringStop(
      OpenStore store, InterruptibleSink sink, Supplier<String> wayOn, Work<T> work)
      throws IOException {
    Runnable stopping =
        () -> {
          Console console = context.console();
          String told = sink.stop(store.store());
          if (console.traits().errIsTerminal()) {
            console.err().println(); // after the progress bar
          }
          boolean isPart = !sink.isDone();
          String end = bulk ? "; the same command begins anew" : wayOn.get();
          console.err().println(SifrCommand.NAME + ": " + told + (isPart ? end : ""));
        };
    context.cleanup().add(stopping);
    try {
      return work.run();
    } finally {
      context.cleanup().remove(stopping);
    }
  }

  /** Work that may fail with what it reads. */
  private interface Work<T> {
    T run() throws IOException;
  }

  private static long size(Path source) throws IOException {
    return StandardFile.is(source) || !Files.isRegularFile(source)
        ? ProgressBar.UNKNOWN
        : Files.size(source);
  }

  private void report(EntryLoader loader, long nanos) throws IOException {
    Console console = context.console();
    loader.skipped().writeText(console.err());
    if (json.isJson()) {
      JsonMixin.writeObject(
          console,
          fields -> {
            fields.writeNumberField("loadedEntries", loader.entries());
            fields.writeNumberField("loadedBytes", loader.bytes());
            fields.writeNumberField("loadSeconds", Units.seconds(nanos));
            loader.skipped().writeFields(fields);
          });
    } else {
      console.println(
          String.format(
              Locale.ROOT,
              "loaded %s, %s, in %.2f s",
              Units.entries(loader.entries()),
              Units.bytes(loader.bytes()),
              Units.seconds(nanos)));
    }
  }
}
