package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.Backups;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ProgressBar;
import io.sifr.cli.terminal.Units;
import io.sifr.error.CorruptionException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sifr backup}, whose commands do the work. */
@Command(
    name = "backup",
    footer = {"  sifr backup create fruit fruit-backup", "  sifr backup list fruit-backup"},
    description = {
      "Keeps points to which a store can be restored.",
      "They are in a directory on any volume. Each point copies what no other one holds. \"sifr restore\" makes a store from a point."
    })
final class BackupCommand {
  private BackupCommand() {}

  static CommandLine commandLine(CliContext context) {
    return new CommandLine(new BackupCommand())
        .addSubcommand(new Create(context))
        .addSubcommand(new ListPoints(context))
        .addSubcommand(new Verify(context))
        .addSubcommand(new Delete())
        .addSubcommand(new Clean(context));
  }

  /** A point, as people read it. */
  static String line(Backups.Point point) {
    return "point "
        + point.number()
        + " of "
        + point.taken()
        + ": "
        + String.join(
            ", ",
            Units.bytes(point.bytes()),
            Units.count(point.ssts(), "SST"),
            Units.count(point.databases().size(), "database"),
            Units.bytes(point.copiedBytes()) + " copied for it");
  }

  /** A point, as programs read it. */
  static void writeFields(JsonGenerator fields, Backups.Point point) throws IOException {
    fields.writeNumberField("point", point.number());
    fields.writeStringField("taken", point.taken().toString());
    fields.writeNumberField("bytes", point.bytes());
    fields.writeNumberField("copiedBytes", point.copiedBytes());
    fields.writeNumberField("ssts", point.ssts());
    fields.writeArrayFieldStart("databases");
    for (String database : point.databases()) {
      fields.writeString(database);
    }
    fields.writeEndArray();
  }

  /** What is wrong, by point. */
  private static int tell(CliContext context, boolean isJson, Map<Long, String> damage)
      throws IOException {
    for (Map.Entry<Long, String> point : damage.entrySet()) {
      if (!isJson) {
        context.console().println("point " + point.getKey() + ": " + point.getValue());
      }
    }
    return damage.isEmpty() ? ExitCodes.OK : ExitCodes.FINDINGS;
  }

  private static void writeDamage(JsonGenerator fields, Map<Long, String> damage)
      throws IOException {
    fields.writeArrayFieldStart("damaged");
    for (Map.Entry<Long, String> point : damage.entrySet()) {
      fields.writeStartObject();
      fields.writeNumberField("point", point.getKey());
      fields.writeStringField("what", point.getValue());
      fields.writeEndObject();
    }
    fields.writeEndArray();
  }

  /** {@code sifr backup create}. */
  @Command(
      name = "create",
      footer = {
        "  sifr backup create fruit fruit-backup",
        "  sifr backup create --json fruit fruit-backup"
      },
      description = {
        "Adds a point with what a store holds now; makes the backup if there is none.",
        "The store may be open in another process.",
        "If it is interrupted, the points that there were remain as they are."
      })
  static final class Create implements Callable<Integer> {
    private final CliContext context;

    @Mixin private final JsonMixin json = new JsonMixin();

    @Parameters(index = "0", paramLabel = "STORE", description = "Directory of the store.")
    private Path store = Path.of("");

    @Parameters(index = "1", paramLabel = "BACKUP", description = "Directory of the backup.")
    private Path backup = Path.of("");

    Create(CliContext context) {
      this.context = context;
    }

    @Override
    public Integer call() throws IOException {
      Backups.Point point = create();
      if (json.isJson()) {
        JsonMixin.writeObject(context.console(), fields -> writeFields(fields, point));
      } else {
        context.console().println(line(point));
      }
      return ExitCodes.OK;
    }

    private Backups.Point create() {
      try (OpenStore open = OpenStore.openToRead(context, store);
          ProgressBar bar = ProgressBar.ofBytes(context.console(), "backup", ProgressBar.UNKNOWN)) {
        return Backups.in(backup).create(open.store(), bar::update);
      } catch (IllegalArgumentException e) {
        throw new CommandFailure(ExitCodes.UNUSABLE, e);
      }
    }
  }

  /** {@code sifr backup list}. */
  @Command(
      name = "list",
      footer = {"  sifr backup list fruit-backup", "  sifr backup list --json fruit-backup"},
      description = "Shows the points of a backup.")
  static final class ListPoints implements Callable<Integer> {
    private final CliContext context;

    @Mixin private final JsonMixin json = new JsonMixin();

    @Parameters(paramLabel = "BACKUP", description = "Directory of the backup.")
    private Path backup = Path.of("");

    ListPoints(CliContext context) {
      this.context = context;
    }

    @Override
    public Integer call() throws IOException {
      Map<Long, Backups.Point> points = new TreeMap<>();
      Map<Long, String> damage = new TreeMap<>();
      try {
        Backups backups = Backups.in(backup);
        for (long number : backups.numbers()) {
          try {
            points.put(number, backups.point(number));
          } catch (CorruptionException e) {
            damage.put(number, String.valueOf(e.getMessage()));
          }
        }
      } catch (IllegalArgumentException e) {
        throw new CommandFailure(ExitCodes.UNUSABLE, e);
      }
      if (json.isJson()) {
        JsonMixin.writeObject(
            context.console(),
            fields -> {
              fields.writeArrayFieldStart("points");
              for (Backups.Point point : points.values()) {
                fields.writeStartObject();
                writeFields(fields, point);
                fields.writeEndObject();
              }
              fields.writeEndArray();
              writeDamage(fields, damage);
            });
      } else {
        Console console = context.console();
        for (Backups.Point point : points.values()) {
          console.println(line(point));
        }
      }
      return tell(context, json.isJson(), damage);
    }
  }

  /** {@code sifr backup verify}. */
  @Command(
      name = "verify",
      footer = {"  sifr backup verify fruit-backup", "  sifr backup verify fruit-backup 3"},
      description = {"Reads all files of the points of a backup, or of one.", "Changes nothing."})
  static final class Verify implements Callable<Integer> {
    private final CliContext context;

    @Mixin private final JsonMixin json = new JsonMixin();

    @Parameters(index = "0", paramLabel = "BACKUP", description = "Directory of the backup.")
    private Path backup = Path.of("");

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "POINT",
        description = "Number of the point. Default: all points.")
    private @Nullable Long point;

    Verify(CliContext context) {
      this.context = context;
    }

    @Override
    public Integer call() throws IOException {
      Long chosen = point;
      Map<Long, String> damage = new TreeMap<>();
      int verified = 0;
      try {
        Backups backups = Backups.in(backup);
        List<Long> numbers = chosen == null ? backups.numbers() : List.of(chosen);
        for (long number : numbers) {
          try (ProgressBar bar =
              ProgressBar.ofBytes(
                  context.console(), "verify point " + number, ProgressBar.UNKNOWN)) {
            backups.verify(number, bar::update);
          } catch (CorruptionException e) {
            damage.put(number, String.valueOf(e.getMessage()));
          }
          verified++;
        }
      } catch (IllegalArgumentException e) {
        throw new CommandFailure(ExitCodes.UNUSABLE, e);
      }
      String points = Units.count(verified, "point");
      int count = verified;
      if (json.isJson()) {
        JsonMixin.writeObject(
            context.console(),
            fields -> {
              fields.writeBooleanField("clean", damage.isEmpty());
              fields.writeNumberField("verified", count);
              writeDamage(fields, damage);
            });
      } else if (damage.isEmpty()) {
        context.console().println(points + " verified, nothing is wrong");
      }
      return tell(context, json.isJson(), damage);
    }
  }

  /** {@code sifr backup delete}. */
  @Command(
      name = "delete",
      footer = {"  sifr backup list fruit-backup", "  sifr backup delete fruit-backup 3"},
      description = "Deletes a point of a backup, and the files that no other point holds.")
  static final class Delete implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "BACKUP", description = "Directory of the backup.")
    private Path backup = Path.of("");

    @Parameters(index = "1", paramLabel = "POINT", description = "Number of the point.")
    private long point;

    @Override
    public Integer call() {
      try {
        Backups.in(backup).delete(point);
      } catch (IllegalArgumentException e) {
        throw new CommandFailure(ExitCodes.UNUSABLE, e);
      }
      return ExitCodes.OK;
    }
  }

  /** {@code sifr backup clean}. */
  @Command(
      name = "clean",
      footer = {"  sifr backup clean fruit-backup", "  sifr backup clean --json fruit-backup"},
      description = {
        "Deletes what interrupted backups have left.",
        "Points remain as they are.",
        "The next \"create\" or \"delete\" does so, too."
      })
  static final class Clean implements Callable<Integer> {
    private final CliContext context;

    @Mixin private final JsonMixin json = new JsonMixin();

    @Parameters(index = "0", paramLabel = "BACKUP", description = "Directory of the backup.")
    private Path backup = Path.of("");

    Clean(CliContext context) {
      this.context = context;
    }

    @Override
    public Integer call() throws IOException {
      int deleted;
      try {
        deleted = Backups.in(backup).deleteUnfinished();
      } catch (IllegalArgumentException e) {
        throw new CommandFailure(ExitCodes.UNUSABLE, e);
      }
      if (json.isJson()) {
        JsonMixin.writeObject(
            context.console(), fields -> fields.writeNumberField("deleted", deleted));
      } else {
        context.console().println(Units.count(deleted, "file") + " deleted");
      }
      return ExitCodes.OK;
    }
  }
}
