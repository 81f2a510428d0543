package io.sifr.cli;

import io.sifr.Database;
import io.sifr.ReadOptions;
import io.sifr.ValueReader;
import io.sifr.cli.record.Json;
import io.sifr.cli.terminal.Console;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sifr get}. */
@Command(
    name = "get",
    footer = {"  sifr get --db fruit apple", "  sifr get --db fruit --raw apple > apple.jpg"},
    description = {
      "Shows the value of a key.",
      "Bytes that are not printable text are shown as \\t, \\n, \\r, \\\\ or \\xNN."
    })
final class GetCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryOptionMixin directory = new DirectoryOptionMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final JsonMixin json = new JsonMixin();
  @Mixin private final SettingsMixin settings = new SettingsMixin();

  @Parameters(paramLabel = "KEY", description = "The key.")
  private String key = "";

  @Option(
      names = "--raw",
      description = {
        "Write the bytes of the value unchanged.",
        "A large value is never in memory as a whole; if it is damaged, what is before the damage"
            + " is written."
      })
  private boolean raw;

  GetCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (raw && json.isJson()) {
      throw new CommandFailure(ExitCodes.USAGE, "--raw cannot be given together with --json");
    }
    byte[] keyBytes = hex.bytes("KEY", key);
    try (OpenStore store = OpenStore.openToRead(context, directory.directory(), settings)) {
      boolean isFound =
          raw ? write(database.of(store), keyBytes) : show(database.of(store), keyBytes);
      if (!isFound) {
        throw new CommandFailure(ExitCodes.NOT_FOUND, "not found: " + hex.show(keyBytes));
      }
    }
    return ExitCodes.OK;
  }

  private boolean write(Database from, byte[] keyBytes) throws IOException {
    try (ValueReader value = from.valueReader(keyBytes, ReadOptions.DEFAULT)) {
      if (value != null) {
        value.stream().transferTo(context.console().out());
      }
      return value != null;
    }
  }

  private boolean show(Database from, byte[] keyBytes) throws IOException {
    byte[] value = from.get(keyBytes);
    if (value != null) {
      show(keyBytes, value);
    }
    return value != null;
  }

  private void show(byte[] keyBytes, byte[] value) throws IOException {
    Console console = context.console();
    if (json.isJson()) {
      JsonMixin.writeObject(
          console,
          fields -> {
            Json.writeBytes(fields, "key", keyBytes, hex.isHex());
            Json.writeBytes(fields, "value", value, hex.isHex());
          });
    } else {
      console.println(hex.show(value));
    }
  }
}
