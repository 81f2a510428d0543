package io.sifr.cli;

import io.sifr.cli.record.FieldText;
import io.sifr.cli.record.JsonFields;
import io.sifr.cli.record.LineEnd;
import io.sifr.cli.record.RecordFormat;
import io.sifr.cli.record.RecordLayout;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the format of entries in a file. */
final class FormatMixin {
  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = {
        "${COMPLETION-CANDIDATES}. Default: by name, or TSV.",
        "TSV: columns divided by tabs, bytes unchanged.",
        "CSV: columns divided by commas, in quotes where needed (RFC 4180).",
        "RAW: key, tab, value, where the value may contain tabs; a line without a tab is a key with"
            + " an empty value.",
        "JSONL: an object per line with the fields key and value, or keyHex and valueHex for bytes"
            + " that are not valid UTF-8.",
        "By name: CSV for files named .csv, JSONL for .jsonl, .ndjson and .json, TSV for others."
      })
  private @Nullable RecordFormat format;

  @Option(names = "--raw", description = "The same as --format RAW.")
  private boolean raw;

  @Option(
      names = "--escaped",
      description = {
        "TSV: with escapes for what is not printable.",
        "\\t, \\n, \\r, \\\\ and \\xNN stand for it, so that any bytes can be written."
      })
  private boolean escaped;

  @Option(
      names = "--crlf",
      description = {
        "Lines end with carriage return and line feed.",
        "Otherwise a carriage return is part of the line, but CSV is read with either."
      })
  private boolean crlf;

  @Option(names = "--keys-only", description = "Only keys; values are empty.")
  private boolean keysOnly;

  @Option(
      names = "--key-column",
      paramLabel = "N",
      description = {
        "TSV, CSV: number or name of the column.",
        "The number counts from 1; the name is for loading with --header. Default: 1."
      })
  private @Nullable String keyColumn;

  @Option(
      names = "--value-column",
      paramLabel = "N|rest",
      description = {
        "TSV, CSV: the same for the value, or rest.",
        "rest: all columns but the key's, as a row of the same format.",
        "Default: rest for TSV; with CSV, --escaped or --hex the only other column."
      })
  private @Nullable String valueColumn;

  @Option(
      names = "--key-field",
      paramLabel = "NAME",
      description = {
        "JSONL of any objects: the field of the key.",
        "Its value is a string or a number. NAME may be a path: user.id, or a JSON pointer: /user/id."
            + " Implies --format JSONL."
      })
  private @Nullable String keyField;

  @Option(
      names = "--value-field",
      paramLabel = "NAME",
      description = {
        "The same for the value. Default: the whole line.",
        "A string is its text, anything else JSON as it stands."
      })
  private @Nullable String valueField;

  /** The chosen layout; without a chosen format, that of the file's name. */
  RecordLayout of(Path file, HexMixin hex) {
    if (raw && format != null && format != RecordFormat.RAW) {
      throw new CommandFailure(
          ExitCodes.USAGE, "--raw and --format " + format + " exclude each other");
    } else if (escaped && hex.isHex()) {
      throw new CommandFailure(ExitCodes.USAGE, "--escaped and --hex exclude each other");
    }
    return new RecordLayout(
        format(file),
        hex.isHex() ? FieldText.HEX : escaped ? FieldText.ESCAPED : FieldText.PLAIN,
        crlf ? LineEnd.CRLF : LineEnd.LF,
        keysOnly,
        keyColumn,
        valueColumn,
        new JsonFields(keyField, valueField));
  }

  private RecordFormat format(Path file) {
    if (raw) {
      return RecordFormat.RAW;
    }
    RecordFormat chosen = format;
    if (chosen != null) {
      return chosen;
    }
    RecordFormat named = RecordFormat.of(file);
    boolean isImplied = keyField != null && named == RecordFormat.TSV;
    return isImplied ? RecordFormat.JSONL : named;
  }

  /** Whether any option for files was given. */
  boolean isChosen() {
    return format != null
        || raw
        || escaped
        || crlf
        || keysOnly
        || keyColumn != null
        || valueColumn != null
        || keyField != null
        || valueField != null;
  }

  /** Whether there are only keys. */
  boolean isKeysOnly() {
    return keysOnly;
  }
}
