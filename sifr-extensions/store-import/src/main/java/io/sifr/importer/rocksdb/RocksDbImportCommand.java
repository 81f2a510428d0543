package io.sifr.importer.rocksdb;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.importer.ImportCommand;
import io.sifr.importer.ImportSource;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code sifr-import-rocksdb}. */
@Command(
    name = RocksDbImportCommand.NAME,
    description = {
      "Makes a Sifr store in the new directory TARGET of the RocksDB directory SOURCE, each column"
          + " family as the database of its name, and compares all entries of both.",
      "SOURCE is only read, and must not be open elsewhere: its lock is respected, and an import during"
          + " which a file of it changed is refused. Beside TARGET, room is needed for the entries"
          + " twice."
    })
final class RocksDbImportCommand extends ImportCommand {
  static final String NAME = "sifr-import-rocksdb";

  @Option(
      names = "--until-damage",
      description = {
        "Import a directory with a log that is damaged, or ends within a record, as after a loss of"
            + " power: all writes before that, and none after it."
      })
  private boolean readsUntilDamage;

  RocksDbImportCommand(Console console, Cleanup cleanup) {
    super(NAME, console, cleanup);
  }

  @Override
  protected ImportSource open(Path source) throws IOException {
    return RocksDbSource.open(source, readsUntilDamage);
  }
}
