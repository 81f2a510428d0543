package io.sifr.cli;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.RangeEstimate;
import io.sifr.cli.terminal.Console;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sifr count}. */
@Command(
    name = "count",
    footer = {"  sifr count fruit --prefix a", "  sifr count fruit --estimate"},
    description = {
      "Shows how many entries a database or a range of it holds.",
      "All keys are read for that; an estimate needs only what is known of the files."
    })
final class CountCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final RangeMixin range = new RangeMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final JsonMixin json = new JsonMixin();
  @Mixin private final SettingsMixin settings = new SettingsMixin();

  @Option(names = "--estimate", description = "Show about how many there are, at once.")
  private boolean estimate;

  CountCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    KeyRange keys = range.range(hex);
    try (OpenStore store = OpenStore.openToRead(context, directory.directory(), settings)) {
      Database counted = database.of(store);
      if (estimate) {
        show(counted.estimate(keys));
      } else {
        show(counted.count(keys));
      }
    }
    return ExitCodes.OK;
  }

  private void show(long entries) throws IOException {
    Console console = context.console();
    if (json.isJson()) {
      JsonMixin.writeObject(console, fields -> fields.writeNumberField("entries", entries));
    } else {
      console.println(Long.toString(entries));
    }
  }

  private void show(RangeEstimate estimated) throws IOException {
    Console console = context.console();
    if (json.isJson()) {
      JsonMixin.writeObject(
          console,
          fields -> {
            fields.writeNumberField("entries", estimated.entries());
            fields.writeNumberField("bytes", estimated.bytes());
            fields.writeNumberField("fileBytes", estimated.fileBytes());
          });
    } else {
      console.println(
          "about %d entries with %d bytes of keys and values, in %d bytes of files"
              .formatted(estimated.entries(), estimated.bytes(), estimated.fileBytes()));
    }
  }
}
