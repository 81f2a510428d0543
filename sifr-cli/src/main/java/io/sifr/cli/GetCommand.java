package io.sifr.cli;

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
    description = {
      "Shows the value of a key.",
      "Bytes that are not printable text are shown as \\t, \\n, \\r, \\\\ or \\xNN."
    })
final class GetCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final JsonMixin json = new JsonMixin();
  @Mixin private final SettingsMixin settings = new SettingsMixin();

  @Parameters(paramLabel = "KEY", description = "The key.")
  private String key = "";

  @Option(names = "--raw", description = "Write the bytes of the value unchanged.")
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
      byte[] value = database.of(store).get(keyBytes);
      if (value == null) {
        throw new CommandFailure(ExitCodes.NOT_FOUND, "not found: " + hex.show(keyBytes));
      }
      show(keyBytes, value);
    }
    return ExitCodes.OK;
  }

  private void show(byte[] keyBytes, byte[] value) throws IOException {
    Console console = context.console();
    if (raw) {
      console.out().write(value);
    } else if (json.isJson()) {
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
