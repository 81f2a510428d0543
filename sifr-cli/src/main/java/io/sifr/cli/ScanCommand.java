package io.sifr.cli;

import io.sifr.Cursor;
import io.sifr.KeyRange;
import io.sifr.cli.record.RecordLayout;
import io.sifr.cli.record.RecordWriter;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sifr scan}. */
@Command(
    name = "scan",
    footer = {"  sifr scan fruit --prefix a --limit 10", "  sifr scan fruit --reverse --json"},
    description = {
      "Shows entries in the order of their keys: key, tab, value.",
      "Bytes that are not printable text are shown as \\t, \\n, \\r, \\\\ or \\xNN."
    })
final class ScanCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final RangeMixin range = new RangeMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final JsonMixin json = new JsonMixin();

  @Mixin private final SettingsMixin settings = new SettingsMixin();

  @Option(names = "--limit", paramLabel = "N", description = "Show no more than N entries.")
  private long limit = Long.MAX_VALUE;

  @Option(names = "--reverse", description = "Begin with the largest key.")
  private boolean reverse;

  @Option(names = "--keys-only", description = "Show no values.")
  private boolean keysOnly;

  ScanCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (limit < 0) {
      throw new CommandFailure(ExitCodes.USAGE, "--limit is " + limit + "; allowed: 0 and more");
    }
    KeyRange keys = range.range(hex);
    RecordLayout layout = RecordLayout.shown(json.isJson(), hex.isHex());
    try (OpenStore store = OpenStore.openToRead(context, directory.directory(), settings);
        Cursor cursor = database.of(store).cursor(keys)) {
      RecordWriter writer = layout.writer(context.console().out(), null);
      for (long left = limit; left > 0 && step(cursor); left--) {
        if (keysOnly) {
          writer.writeKey(cursor.key());
        } else {
          writer.write(cursor.key(), cursor.value());
        }
      }
    }
    return ExitCodes.OK;
  }

  private boolean step(Cursor cursor) {
    return reverse ? cursor.previous() : cursor.next();
  }
}
