package io.sifr.cli.record;

import java.nio.file.Path;
import java.util.Locale;

/** The text format of entries. */
public enum RecordFormat {
  /** Columns divided by tabs, without quotes or escapes. */
  TSV(true),
  /** Columns divided by commas, in quotes where needed, as in RFC 4180. */
  CSV(true),
  /**
   * Key, tab, value, where the value may contain tabs; a line without a tab is a key whose value is
   * empty.
   */
  RAW(false),
  /**
   * One JSON object per line, with the string fields {@code key} and {@code value} if the bytes are
   * valid UTF-8. Otherwise, or if hexadecimal digits are requested, the fields are {@code keyHex}
   * and {@code valueHex}. Empty lines are skipped.
   */
  JSONL(false);

  private final boolean hasColumns;

  RecordFormat(boolean hasColumns) {
    this.hasColumns = hasColumns;
  }

  /** Whether a row may have any number of columns, and the first row may name them. */
  boolean hasColumns() {
    return hasColumns;
  }

  /**
   * The format for a file name: {@link #CSV} for .csv, {@link #JSONL} for .jsonl, .ndjson and
   * .json, {@link #TSV} for all others.
   */
  public static RecordFormat of(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".csv")) {
      return CSV;
    }
    return name.endsWith(".jsonl") || name.endsWith(".ndjson") || name.endsWith(".json")
        ? JSONL
        : TSV;
  }
}
