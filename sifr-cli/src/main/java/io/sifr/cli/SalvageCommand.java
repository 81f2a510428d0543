package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.record.Json;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ProgressBar;
import io.sifr.cli.terminal.Units;
import io.sifr.inspect.Finding;
import io.sifr.inspect.salvage.LostPiece;
import io.sifr.inspect.salvage.Salvage;
import io.sifr.inspect.salvage.SalvageReport;
import io.sifr.inspect.salvage.SalvagedDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sifr salvage}. */
@Command(
    name = "salvage",
    footer = {"  sifr salvage fruit rescued", "  sifr salvage --json fruit rescued"},
    description = {
      "Makes a new store of what is intact in a damaged one.",
      "Lists the losses. The damaged store is only read.",
      "In a lost piece keys may be missing, or have an older value or one that was deleted."
          + " Exits with 3 when anything was wrong, whether something was lost or not.",
      "If it is interrupted, delete the new directory before you try again."
    })
final class SalvageCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final JsonMixin json = new JsonMixin();

  @Parameters(index = "0", paramLabel = "SOURCE", description = "Directory of the damaged store.")
  private Path source = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "TARGET",
      description = "Directory for the new store: one that does not exist, or an empty one.")
  private Path target = Path.of("");

  SalvageCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    SalvageReport report = salvage();
    if (json.isJson()) {
      JsonMixin.writeObject(context.console(), fields -> writeFields(fields, report));
    } else {
      writeText(report);
    }
    return report.isClean() ? ExitCodes.OK : ExitCodes.FINDINGS;
  }

  private SalvageReport salvage() {
    try (ProgressBar bar = ProgressBar.ofBytes(context.console(), "salvage", ProgressBar.UNKNOWN)) {
      return Salvage.run(source, target, context.keys(), bar::update);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
  }

  private void writeText(SalvageReport report) throws IOException {
    Console console = context.console();
    console.println(
        "rescued "
            + Units.entries(report.entries())
            + " from "
            + Units.count(report.ssts(), "SST")
            + " and "
            + Units.count(report.logRecords(), "log record")
            + ", "
            + Units.bytes(report.bytesRead())
            + " read");
    for (SalvagedDatabase database : report.databases()) {
      console.println(
          "database "
              + database.name()
              + ": "
              + Units.entries(database.entries())
              + ", "
              + Units.bytes(database.bytes()));
    }
    for (LostPiece piece : report.lost()) {
      console.println("lost: " + piece);
    }
    for (Finding note : report.notes()) {
      console.println("note: " + note.file() + " at offset " + note.offset() + ": " + note.what());
    }
    console.println(
        report.isClean()
            ? "nothing is lost"
            : Units.count(report.lost().size(), "lost piece")
                + ", "
                + Units.count(report.notes().size(), "note"));
  }

  private static void writeFields(JsonGenerator fields, SalvageReport report) throws IOException {
    fields.writeBooleanField("clean", report.isClean());
    fields.writeNumberField("entries", report.entries());
    fields.writeNumberField("ssts", report.ssts());
    fields.writeNumberField("logRecords", report.logRecords());
    fields.writeNumberField("bytesRead", report.bytesRead());
    fields.writeArrayFieldStart("databases");
    for (SalvagedDatabase database : report.databases()) {
      fields.writeStartObject();
      fields.writeStringField("name", database.name());
      fields.writeNumberField("entries", database.entries());
      fields.writeNumberField("bytes", database.bytes());
      fields.writeEndObject();
    }
    fields.writeEndArray();
    fields.writeArrayFieldStart("lost");
    for (LostPiece piece : report.lost()) {
      writePiece(fields, piece);
    }
    fields.writeEndArray();
    fields.writeArrayFieldStart("notes");
    for (Finding note : report.notes()) {
      fields.writeStartObject();
      fields.writeStringField("file", note.file().toString());
      fields.writeNumberField("offset", note.offset());
      fields.writeStringField("what", note.what());
      fields.writeEndObject();
    }
    fields.writeEndArray();
  }

  /** Unknown figures are omitted. */
  private static void writePiece(JsonGenerator fields, LostPiece piece) throws IOException {
    fields.writeStartObject();
    fields.writeStringField("file", piece.finding().file().toString());
    fields.writeNumberField("offset", piece.finding().offset());
    fields.writeNumberField("bytes", piece.bytes());
    fields.writeStringField("what", piece.finding().what());
    String database = piece.database();
    if (database != null) {
      fields.writeStringField("database", database);
    }
    byte[] firstKey = piece.firstKey();
    if (firstKey != null) {
      Json.writeBytes(fields, "firstKey", firstKey, false);
    }
    byte[] lastKey = piece.lastKey();
    if (lastKey != null) {
      Json.writeBytes(fields, "lastKey", lastKey, false);
    }
    if (piece.entries() >= 0) {
      fields.writeNumberField("entries", piece.entries());
    }
    if (piece.doubtful() >= 0) {
      fields.writeNumberField("doubtful", piece.doubtful());
    }
    fields.writeEndObject();
  }
}
