package io.sifr.cli.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Locale;

/** How entries are written as text. Both forms keep every byte. */
public enum RecordFormat {
  /**
   * Key, tab, value. In hexadecimal digits, or as escaped text: see {@link TextBytes}. A line ends
   * with a line feed; a carriage return before it belongs to the line end.
   */
  TSV,
  /**
   * One JSON object a line, with the fields {@code key} and {@code value}: strings, where the bytes
   * are valid UTF-8. Where they are not, or where hexadecimal digits are asked for, {@code keyHex}
   * and {@code valueHex} stand instead. Empty lines are skipped.
   */
  JSONL;

  /** The format a file's name speaks of: {@link #JSONL} for .jsonl, .ndjson and .json. */
  public static RecordFormat of(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return name.endsWith(".jsonl") || name.endsWith(".ndjson") || name.endsWith(".json")
        ? JSONL
        : TSV;
  }

  /**
   * A reader of this format.
   *
   * @param hex whether TSV fields are hexadecimal digits; JSON says itself what is
   */
  public RecordReader reader(InputStream in, boolean hex) {
    LineReader lines = new LineReader(in);
    return this == TSV ? new TsvReader(lines, hex) : new JsonLinesReader(lines);
  }

  /**
   * A writer of this format.
   *
   * @param hex whether to write hexadecimal digits, whatever the bytes are
   */
  public RecordWriter writer(OutputStream out, boolean hex) throws IOException {
    return this == TSV ? new TsvWriter(out, hex) : new JsonLinesWriter(out, hex);
  }
}
