package io.sifr.cli;

import io.sifr.Database;
import io.sifr.Store;
import picocli.CommandLine.Option;

/** The option for the database that a command works on. */
final class DatabaseMixin {
  @Option(
      names = "--database",
      paramLabel = "NAME",
      defaultValue = Store.DEFAULT_DATABASE,
      description = "Database of the store. Default: ${DEFAULT-VALUE}.")
  private String name = Store.DEFAULT_DATABASE;

  Database of(OpenStore store) {
    return store.database(name);
  }
}
