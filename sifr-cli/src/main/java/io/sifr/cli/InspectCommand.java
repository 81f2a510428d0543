package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.record.Json;
import io.sifr.cli.terminal.Console;
import io.sifr.error.CorruptionException;
import io.sifr.inspect.dump.DumpedRecord;
import io.sifr.inspect.dump.FileDump;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sifr inspect}. */
@Command(
    name = "inspect",
    description = {
      "Shows an SST, a value file, a log segment or a manifest piece by piece:",
      "offset, length, kind, fields.",
      "With --json a JSON object per line. Ends where the file is damaged."
    })
final class InspectCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final JsonMixin json = new JsonMixin();

  @Parameters(
      paramLabel = "FILE",
      description = "A .sst, .wal, .manifest or .values file of a store.")
  private Path file = Path.of("");

  InspectCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    try {
      FileDump.dump(file, context.keys(), this::show);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (CorruptionException e) {
      // The pieces before the damage have been shown, which helps.
      context.console().flush();
      throw new CommandFailure(ExitCodes.FINDINGS, e);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
    return ExitCodes.OK;
  }

  private void show(DumpedRecord piece) {
    Console console = context.console();
    try {
      if (json.isJson()) {
        JsonMixin.writeObject(console, fields -> writeFields(fields, piece));
      } else {
        console.println(text(piece));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String text(DumpedRecord piece) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%10d %8d  %s%s",
            piece.offset(),
            piece.length(),
            "  ".repeat(piece.depth()),
            piece.kind()));
    piece
        .fields()
        .forEach(
            (name, value) -> {
              text.append("  ").append(name).append('=');
              text.append(value instanceof byte[] bytes ? hex.show(bytes) : value);
            });
    return text.toString();
  }

  private void writeFields(JsonGenerator fields, DumpedRecord piece) throws IOException {
    fields.writeNumberField("offset", piece.offset());
    fields.writeNumberField("length", piece.length());
    fields.writeNumberField("depth", piece.depth());
    fields.writeStringField("kind", piece.kind());
    fields.writeObjectFieldStart("fields");
    for (Map.Entry<String, Object> field : piece.fields().entrySet()) {
      writeField(fields, field.getKey(), field.getValue());
    }
    fields.writeEndObject();
  }

  private void writeField(JsonGenerator fields, String name, Object value) throws IOException {
    if (value instanceof byte[] bytes) {
      Json.writeBytes(fields, name, bytes, hex.isHex());
    } else if (value instanceof Double || value instanceof Float) {
      fields.writeNumberField(name, ((Number) value).doubleValue());
    } else if (value instanceof Number number) {
      fields.writeNumberField(name, number.longValue());
    } else if (value instanceof Boolean flag) {
      fields.writeBooleanField(name, flag);
    } else {
      fields.writeStringField(name, value.toString());
    }
  }
}
