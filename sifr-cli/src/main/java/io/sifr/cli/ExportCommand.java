package io.sifr.cli;

import io.sifr.Cursor;
import io.sifr.KeyRange;
import io.sifr.cli.record.RecordLayout;
import io.sifr.cli.record.RecordWriter;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ProgressBar;
import io.sifr.cli.terminal.Units;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sifr export}. */
@Command(
    name = "export",
    footer = {
      "  sifr export --db fruit table.csv",
      "  sifr export --db fruit --prefix a --escaped > table.tsv"
    },
    description = {
      "Writes the entries of a database to a file.",
      "They are those of one consistent state, in the order of their keys and in a form that load reads with the same options.",
      "When the format cannot represent an entry so that it is read back unchanged, the export ends"
          + " there with exit code 5."
    })
final class ExportCommand implements Callable<Integer> {
  private static final int BUFFER_BYTES = 1 << 16;

  private final CliContext context;

  @Mixin private final DirectoryOptionMixin directory = new DirectoryOptionMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final RangeMixin range = new RangeMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final FormatMixin format = new FormatMixin();
  @Mixin private final SettingsMixin settings = new SettingsMixin();

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      defaultValue = StandardFile.NAME,
      description = "File to write; - is standard output, the default.")
  private Path file = Path.of(StandardFile.NAME);

  @Option(names = "--header", paramLabel = "LINE", description = "TSV, CSV: write this line first.")
  private @Nullable String header;

  ExportCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    KeyRange keys = range.range(hex);
    RecordLayout layout = format.of(file, hex);
    // Before the file is opened, which empties it.
    layout.checkWritable(header);
    Console console = context.console();
    try (OpenStore store = OpenStore.openToRead(context, directory.directory(), settings);
        Cursor cursor = database.of(store).cursor(keys)) {
      if (StandardFile.is(file)) {
        export(cursor, layout, console.out(), console.traits().outIsTerminal());
      } else {
        long entries;
        try (OutputStream out =
            new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES)) {
          entries = export(cursor, layout, out, false);
        }
        console.println("exported " + Units.entries(entries));
      }
    }
    return ExitCodes.OK;
  }

  /** Writes everything, with a progress bar unless it would mix with the output. */
  private long export(Cursor cursor, RecordLayout layout, OutputStream out, boolean isShown)
      throws IOException {
    RecordWriter writer = layout.writer(out, header);
    long entries = 0;
    try (ProgressBar bar =
        isShown
            ? ProgressBar.hidden()
            : ProgressBar.ofCount(context.console(), "export", ProgressBar.UNKNOWN)) {
      while (cursor.next()) {
        if (format.isKeysOnly()) {
          writer.writeKey(cursor.key());
        } else {
          writer.write(cursor.key(), cursor.value());
        }
        entries++;
        bar.update(entries);
      }
    }
    return entries;
  }
}
