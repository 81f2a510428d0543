package io.sifr.cli;

import io.sifr.Cursor;
import io.sifr.KeyRange;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sifr export}. */
@Command(
    name = "export",
    description = "Writes all entries, as they are at one moment, in a form that load reads.")
final class ExportCommand implements Callable<Integer> {
  private static final int BUFFER_BYTES = 1 << 16;

  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final RangeMixin range = new RangeMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final FormatMixin format = new FormatMixin();

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      defaultValue = StandardFile.NAME,
      description = "File to write; - is standard output, the default.")
  private Path file = Path.of(StandardFile.NAME);

  ExportCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    KeyRange keys = range.range(hex);
    Console console = context.console();
    try (OpenStore store = OpenStore.openExisting(context, directory.directory());
        Cursor cursor = database.of(store).cursor(keys)) {
      if (StandardFile.is(file)) {
        export(cursor, console.out(), console.traits().outIsTerminal());
      } else {
        long entries;
        try (OutputStream out =
            new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES)) {
          entries = export(cursor, out, false);
        }
        console.println("exported " + Units.count(entries) + " entries");
      }
    }
    return ExitCodes.OK;
  }

  /** Writes everything, with a bar unless it would get between the lines. */
  private long export(Cursor cursor, OutputStream out, boolean isShown) throws IOException {
    RecordWriter writer = format.of(file).writer(out, hex.isHex());
    long entries = 0;
    try (ProgressBar bar =
        isShown
            ? ProgressBar.hidden()
            : ProgressBar.ofCount(context.console(), "export", ProgressBar.UNKNOWN)) {
      while (cursor.next()) {
        writer.write(cursor.key(), cursor.value());
        entries++;
        bar.update(entries);
      }
    }
    return entries;
  }
}
