package io.sifr.cli;

import io.sifr.Database;
import io.sifr.config.StoreOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sifr put}. */
@Command(
    name = "put",
    description = "Sets the value of a key. Creates the store when there is none in the directory.")
final class PutCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final SettingsMixin settings = new SettingsMixin();

  @Parameters(index = "0", paramLabel = "KEY", description = "The key.")
  private String key = "";

  @Parameters(index = "1", arity = "0..1", paramLabel = "VALUE", description = "The value.")
  private @Nullable String value;

  @Option(
      names = "--value-file",
      paramLabel = "FILE",
      description = "Take the value from a file, byte for byte; - is standard input.")
  private @Nullable Path valueFile;

  PutCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    byte[] keyBytes = hex.bytes("KEY", key);
    byte[] valueBytes = value();
    try (OpenStore store =
        OpenStore.open(context, directory.directory(), settings.options(StoreOptions.builder()))) {
      Database target = database.of(store);
      target.put(keyBytes, valueBytes);
    }
    return ExitCodes.OK;
  }

  private byte[] value() throws IOException {
    if ((value == null) == (valueFile == null)) {
      throw new CommandFailure(ExitCodes.USAGE, "either VALUE or --value-file has to be given");
    }
    if (value != null) {
      return hex.bytes("VALUE", value);
    }
    try (InputStream in = StandardFile.openInput(context.console(), valueFile)) {
      return in.readAllBytes();
    }
  }
}
