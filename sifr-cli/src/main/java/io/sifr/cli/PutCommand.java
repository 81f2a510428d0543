package io.sifr.cli;

import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
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
    footer = {
      "  sifr put --db fruit apple red",
      "  sifr put --db fruit --value-file apple.jpg apple"
    },
    description = {
      "Sets the value of a key.",
      "Creates the store when there is none in the directory."
    })
final class PutCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryOptionMixin directory = new DirectoryOptionMixin();
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
      description = {
        "Take the value from a file; - is standard input.",
        "Byte for byte; a large value from a file is never in memory as a whole."
      })
  private @Nullable Path valueFile;

  PutCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    byte[] keyBytes = hex.bytes("KEY", key);
    if ((value == null) == (valueFile == null)) {
      throw new CommandFailure(ExitCodes.USAGE, "either VALUE or --value-file has to be given");
    }
    if (value != null) {
      byte[] valueBytes = hex.bytes("VALUE", value);
      put(keyBytes, valueBytes.length, new ByteArrayInputStream(valueBytes));
      return ExitCodes.OK;
    }
    try (InputStream in = StandardFile.openInput(context.console(), valueFile)) {
      if (!StandardFile.is(valueFile) && Files.isRegularFile(valueFile)) {
        put(keyBytes, Files.size(valueFile), in);
      } else {
        byte[] valueBytes = in.readAllBytes(); // its length is not known before
        put(keyBytes, valueBytes.length, new ByteArrayInputStream(valueBytes));
      }
    }
    return ExitCodes.OK;
  }

  private void put(byte[] keyBytes, long length, InputStream in) throws IOException {
    try (OpenStore store =
        OpenStore.open(context, directory.directory(), settings.options(StoreOptions.builder()))) {
      database.of(store).put(keyBytes, length, in, WriteOptions.DEFAULT);
    }
  }
}
