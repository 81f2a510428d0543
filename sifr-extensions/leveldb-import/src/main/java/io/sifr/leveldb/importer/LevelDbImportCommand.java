package io.sifr.leveldb.importer;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.Store;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.importer.ImportCommand;
import io.sifr.importer.ImportResult;
import io.sifr.importer.ImportSource;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code sifr-import-leveldb}. */
@Command(
    name = LevelDbImportCommand.NAME,
    description = {
      "Makes a Sifr store in the new directory TARGET of the LevelDB directory SOURCE, and compares all"
          + " entries of both.",
      "SOURCE is only read, and must not be open elsewhere: what locks it is respected, and an import"
          + " during which a file of it changed is refused. Beside TARGET, room is needed for the"
          + " entries twice."
    })
final class LevelDbImportCommand extends ImportCommand {
  static final String NAME = "sifr-import-leveldb";

  @Option(
      names = "--database",
      paramLabel = "NAME",
      defaultValue = Store.DEFAULT_DATABASE,
      description = "Database that gets the entries. Default: ${DEFAULT-VALUE}.")
  private String database = Store.DEFAULT_DATABASE;

  @Option(
      names = "--ignore-comparator",
      description = {
        "Import keys that are in an order of their own, in the order of their bytes. Keys that this"
            + " order takes for the same but that have other bytes become several."
      })
  private boolean ignoresComparator;

  @Option(
      names = "--until-damage",
      description = {
        "Import a directory with a damaged log: all writes before the damage, and none after it."
      })
  private boolean readsUntilDamage;

  /** The source that was imported last. */
  private @Nullable LevelDbSource opened;

  LevelDbImportCommand(Console console, Cleanup cleanup) {
    super(NAME, console, cleanup);
  }

  @Override
  protected ImportSource open(Path source) throws IOException {
    SourceOptions options =
        new SourceOptions(
            ignoresComparator, readsUntilDamage, SourceOptions.defaultSortMemoryBytes());
    LevelDbSource open = LevelDbSource.open(source, database, options);
    opened = open;
    return open;
  }

  @Override
  protected void writeContents(JsonGenerator generator, ImportResult result) throws IOException {
    if (opened != null) {
      generator.writeNumberField("tables", opened.tableCount());
      generator.writeNumberField("logs", opened.logCount());
      if (opened.omission() != null) {
        generator.writeStringField("damage", opened.omission());
      }
    }
    generator.writeStringField("database", database);
  }

  @Override
  protected @Nullable String warning() {
    return opened == null || opened.omission() == null
        ? null
        : "what was written after this is missing: " + opened.omission();
  }
}
