package io.sifr.importer.mvstore;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.importer.ImportCommand;
import io.sifr.importer.ImportResult;
import io.sifr.importer.ImportSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code sifr-import-mvstore}. */
@Command(
    name = MvStoreImportCommand.NAME,
    description = {
      "Makes a Sifr store in the new directory TARGET of the MVStore file SOURCE, each map as the"
          + " database of its name, and compares all entries of both.",
      "Keys and values may be arrays of bytes, strings, integers, longs and UUIDs, one type each for a"
          + " map; they are encoded by io.sifr.map.Codecs. SOURCE is only read, and must not be open"
          + " elsewhere. Beside TARGET, room is needed for the entries twice."
    })
final class MvStoreImportCommand extends ImportCommand {
  static final String NAME = "sifr-import-mvstore";

  @Option(
      names = "--map",
      paramLabel = "NAME",
      description = "A map that is imported; may be given several times. Default: all.")
  private List<String> maps = new ArrayList<>();

  @Option(
      names = "--keys",
      paramLabel = "TYPE",
      defaultValue = "OBJECTS",
      description = {
        "How keys are stored, which MVStore does not note: ${COMPLETION-CANDIDATES}. OBJECTS is what"
            + " a map has that was opened without a keyType. Default: ${DEFAULT-VALUE}."
      })
  private StoredType keys = StoredType.OBJECTS;

  @Option(
      names = "--values",
      paramLabel = "TYPE",
      defaultValue = "OBJECTS",
      description = "The same for values.")
  private StoredType values = StoredType.OBJECTS;

  /** The source that was imported last. */
  private @Nullable MvStoreSource opened;

  MvStoreImportCommand(Console console, Cleanup cleanup) {
    super(NAME, console, cleanup);
  }

  @Override
  protected ImportSource open(Path source) throws IOException {
    MvStoreSource open = MvStoreSource.open(source, maps, keys, values);
    opened = open;
    return open;
  }

  private StoredMap map(ImportResult.Part part) {
    if (opened == null) {
      throw new IllegalStateException();
    }
    return opened.map(part.database());
  }

  @Override
  protected void writeContents(JsonGenerator generator, ImportResult result) throws IOException {
    generator.writeArrayFieldStart("databases");
    for (ImportResult.Part part : result.databases()) {
      generator.writeStartObject();
      generator.writeStringField("database", part.database());
      generator.writeNumberField("entries", part.entries());
      generator.writeNumberField("bytes", part.bytes());
      generator.writeStringField("keys", map(part).keyCodec());
      generator.writeStringField("values", map(part).valueCodec());
      generator.writeEndObject();
    }
    generator.writeEndArray();
  }

  @Override
  protected List<String> details(ImportResult result) {
    return result.databases().stream()
        .map(
            part ->
                part.database()
                    + ": keys "
                    + map(part).keyCodec()
                    + ", values "
                    + map(part).valueCodec())
        .toList();
  }
}
