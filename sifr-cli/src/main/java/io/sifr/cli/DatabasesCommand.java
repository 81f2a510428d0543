package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.Database;
import io.sifr.cli.terminal.Units;
import io.sifr.config.StoreOptions;
import io.sifr.event.ForestShape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sifr databases} and the commands under it. */
@Command(name = "databases", description = "Shows the databases of a store, or changes them.")
final class DatabasesCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final JsonMixin json = new JsonMixin();

  private DatabasesCommand(CliContext context) {
    this.context = context;
  }

  static CommandLine commandLine(CliContext context) {
    return new CommandLine(new DatabasesCommand(context))
        .addSubcommand(new Create(context))
        .addSubcommand(new Drop(context));
  }

  @Override
  public Integer call() throws IOException {
    List<ForestShape> forests = new ArrayList<>();
    try (OpenStore store = OpenStore.openExisting(context, directory.directory())) {
      for (String name : store.store().databaseNames()) {
        forests.add(store.database(name).forest());
      }
    }
    if (json.isJson()) {
      JsonMixin.writeObject(context.console(), fields -> writeFields(fields, forests));
    } else {
      for (ForestShape forest : forests) {
        context
            .console()
            .println(
                String.format(
                    Locale.ROOT,
                    "%-24s %12s  %s, %s",
                    forest.database(),
                    Units.bytes(forest.bytes()),
                    Units.count(forest.trees(), "tree"),
                    Units.count(forest.ssts(), "SST")));
      }
    }
    return ExitCodes.OK;
  }

  private static void writeFields(JsonGenerator fields, List<ForestShape> forests)
      throws IOException {
    fields.writeArrayFieldStart("databases");
    for (ForestShape forest : forests) {
      fields.writeStartObject();
      fields.writeStringField("name", forest.database());
      fields.writeNumberField("bytes", forest.bytes());
      fields.writeNumberField("trees", forest.trees());
      fields.writeNumberField("ssts", forest.ssts());
      fields.writeEndObject();
    }
    fields.writeEndArray();
  }

  /** {@code sifr databases create}. */
  @Command(
      name = "create",
      description = "Creates a database, and the store when there is none in the directory.")
  static final class Create implements Callable<Integer> {
    private final CliContext context;

    @Mixin private final DirectoryMixin directory = new DirectoryMixin();

    @Parameters(paramLabel = "NAME", description = "Name of the database, 1 to 255 characters.")
    private String name = "";

    Create(CliContext context) {
      this.context = context;
    }

    @Override
    public Integer call() {
      try (OpenStore store = OpenStore.open(context, directory.directory(), StoreOptions.DEFAULT)) {
        Database unused = store.store().createDatabase(name);
      }
      return ExitCodes.OK;
    }
  }

  /** {@code sifr databases drop}. */
  @Command(name = "drop", description = "Removes a database with all its data.")
  static final class Drop implements Callable<Integer> {
    private final CliContext context;

    @Mixin private final DirectoryMixin directory = new DirectoryMixin();

    @Parameters(paramLabel = "NAME", description = "Name of the database.")
    private String name = "";

    Drop(CliContext context) {
      this.context = context;
    }

    @Override
    public Integer call() {
      try (OpenStore store = OpenStore.openExisting(context, directory.directory())) {
        // Looked up first: a name that does not exist is not an error in the command line.
        Database unused = store.database(name);
        store.store().dropDatabase(name);
      }
      return ExitCodes.OK;
    }
  }
}
