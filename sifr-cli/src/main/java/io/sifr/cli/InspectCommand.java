package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.record.Json;
import io.sifr.cli.report.FileSummary;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.Units;
import io.sifr.error.CorruptionException;
import io.sifr.inspect.dump.DumpedRecord;
import io.sifr.inspect.dump.FileDump;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sifr inspect}. */
@Command(
    name = "inspect",
    footer = {
      "  sifr inspect fruit/000000000007.sst",
      "  sifr inspect --entries fruit/000000000009.wal"
    },
    description = {
      "Shows what is in one file of a store.",
      "A summary of an SST, a value file, a log segment or a manifest, which is read as a whole and"
          + " whose checksums are verified. With --json a JSON object per line. Ends where the file"
          + " is damaged."
    })
final class InspectCommand implements Callable<Integer> {
  /** Of a key or value in a line of text; with --json they are whole. */
  private static final int MOST_CHARACTERS_SHOWN = 60;

  private static final int MOST_BYTES_SHOWN = MOST_CHARACTERS_SHOWN;

  private final CliContext context;

  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final JsonMixin json = new JsonMixin();

  @Parameters(
      paramLabel = "FILE",
      description = "A .sst, .wal, .manifest or .values file of a store.")
  private Path file = Path.of("");

  @Option(
      names = "--entries",
      description = {
        "Show every piece, too: blocks, entries, records.",
        "Offset, length, kind, fields; keys and values beyond a line are cut, and are whole with"
            + " --json."
      })
  private boolean entries;

  InspectCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (Files.isDirectory(file)) {
      throw new CommandFailure(
          ExitCodes.UNUSABLE,
          file + " is a directory; allowed: one of the files in it, such as " + example(file));
    }
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    FileSummary summary = new FileSummary(file, Files.size(file));
    CorruptionException damage = read(summary::add);
    String what = damage == null ? null : damage.getMessage();
    if (json.isJson()) {
      JsonMixin.writeObject(
          context.console(), fields -> summary.writeFields(fields, hex.isHex(), what));
    } else {
      summary.writeText(context.console(), this::cut, what);
    }
    if (entries) {
      // Read once more rather than kept: a file may be larger than the memory.
      damage = read(this::show);
    }
    if (damage != null) {
      // What is before the damage has been shown, which helps.
      context.console().flush();
      throw new CommandFailure(ExitCodes.FINDINGS, damage);
    }
    return ExitCodes.OK;
  }

  private static Path example(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(candidate -> candidate.toString().endsWith(".sst"))
          .min(Comparator.naturalOrder())
          .orElse(directory.resolve("000000000007.sst"));
    }
  }

  /** Reads the pieces up to the end, or up to the damage that is returned. */
  private @Nullable CorruptionException read(Consumer<DumpedRecord> sink) throws IOException {
    try {
      FileDump.dump(file, context.keys(), sink);
      return null;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (CorruptionException e) {
      return e;
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
  }

  /** A key or value as text, without what is beyond a line. */
  private String cut(byte[] bytes) {
    String text =
        hex.show(bytes.length <= MOST_BYTES_SHOWN ? bytes : Arrays.copyOf(bytes, MOST_BYTES_SHOWN));
    if (bytes.length <= MOST_BYTES_SHOWN && text.length() <= MOST_CHARACTERS_SHOWN) {
      return text;
    }
    int end = Math.min(text.length(), MOST_CHARACTERS_SHOWN);
    if (end < text.length() && Character.isLowSurrogate(text.charAt(end))) {
      end--;
    }
    return text.substring(0, end) + "… (" + Units.count(bytes.length) + " bytes)";
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
              text.append(value instanceof byte[] bytes ? cut(bytes) : value);
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
