package io.sifr.cli.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text form of entries: the format and its options. A layout reads the same entries again from
 * what it has written of them. Immutable.
 *
 * @param format the format
 * @param text how bytes are written in fields; for {@link RecordFormat#JSONL}, only whether to
 *     write hexadecimal digits
 * @param lineEnd what ends a line; CSV is read with either
 * @param keysOnly whether there are only keys; entries that are read have empty values
 * @param keyColumn number from 1 or name of the key's column, or null for the first
 * @param valueColumn the same for the value, or "rest" for a row of all columns except the key, or
 *     null for the default: the rest in plain {@link RecordFormat#TSV}, otherwise the only other
 *     column
 * @param fields the fields of the key and the value in {@link RecordFormat#JSONL} of any program
 */
public record RecordLayout(
    RecordFormat format,
    FieldText text,
    LineEnd lineEnd,
    boolean keysOnly,
    @Nullable String keyColumn,
    @Nullable String valueColumn,
    JsonFields fields) {
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  /**
   * Checks that the options are compatible.
   *
   * @throws IllegalArgumentException when they do not
   */
  public RecordLayout {
    boolean hasColumnOptions = keyColumn != null || valueColumn != null;
    require(
        !hasColumnOptions || format.hasColumns(), "columns can be chosen", "TSV or CSV", format);
    require(text != FieldText.ESCAPED || format == RecordFormat.TSV, "--escaped", "TSV", format);
    require(
        text != FieldText.HEX || format != RecordFormat.RAW, "--hex", "TSV, CSV or JSONL", format);
    require(
        lineEnd == LineEnd.LF || format != RecordFormat.JSONL, "--crlf", "TSV, CSV or RAW", format);
    require(
        !fields.isGiven() || format == RecordFormat.JSONL, "fields can be chosen", "JSONL", format);
    if (keysOnly && valueColumn != null) {
      throw new IllegalArgumentException("--keys-only and --value-column exclude each other");
    } else if (keysOnly && fields.value() != null) {
      throw new IllegalArgumentException("--keys-only and --value-field exclude each other");
    } else if (text != FieldText.PLAIN && "rest".equals(valueColumn)) {
      throw new IllegalArgumentException(
          "--value-column is rest; allowed with --escaped and --hex: one column");
    }
  }

  private static void require(boolean fits, String what, String formats, RecordFormat format) {
    if (!fits) {
      throw new IllegalArgumentException(
          what + " only with --format " + formats + "; it is " + format);
    }
  }

  /** A layout for people: escaped text or hexadecimal digits, or JSON. */
  public static RecordLayout shown(boolean json, boolean hex) {
    return new RecordLayout(
        json ? RecordFormat.JSONL : RecordFormat.TSV,
        hex ? FieldText.HEX : json ? FieldText.PLAIN : FieldText.ESCAPED,
        LineEnd.LF,
        false,
        null,
        null,
        JsonFields.NONE);
  }

  /**
   * Creates a reader for this layout. Reads the first line if there is a header.
   *
   * @param header whether the first row names the columns
   * @throws IllegalArgumentException when a column has no such name, or the format has no header
   */
  public RecordReader reader(InputStream in, boolean header) throws IOException {
    require(!header || format.hasColumns(), "--header", "TSV or CSV", format);
    return switch (format) {
      case TSV, CSV -> {
        RowSyntax syntax = syntax();
        RowReader rows = syntax.reader(in);
        List<String> names = header ? names(rows) : List.of();
        yield new RowRecordReader(syntax, rows, text, columns(names));
      }
      case RAW -> new RawReader(new LineReader(in, lineEnd), keysOnly);
      case JSONL -> {
        LineReader lines = new LineReader(in, LineEnd.LF);
        yield fields.isGiven()
            ? new JsonObjectsReader(lines, fields, text == FieldText.HEX, keysOnly)
            : new JsonLinesReader(lines, keysOnly);
      }
    };
  }

  /**
   * Checks that {@link #writer} can create a writer.
   *
   * @param header what to write as a line before all others, or null
   * @throws IllegalArgumentException when a column is given by its name, when there would be
   *     columns with unknown content, or when the format has no header
   */
  public void checkWritable(@Nullable String header) {
    require(header == null || format.hasColumns(), "--header", "TSV or CSV", format);
    if (format.hasColumns()) {
      columns(List.of()).checkWritable();
    }
    if ((keysOnly || fields.value() != null) && !fields.areNames()) {
      throw new IllegalArgumentException(
          "a field is "
              + fields.key()
              + (fields.value() == null ? "" : " or " + fields.value())
              + "; allowed when writing: a name, not a path");
    }
  }

  /**
   * Creates a writer for this layout.
   *
   * @param header what to write as a line before all others, or null
   * @throws IllegalArgumentException as {@link #checkWritable}
   */
  public RecordWriter writer(OutputStream out, @Nullable String header) throws IOException {
    checkWritable(header);
    RecordWriter writer =
        switch (format) {
          case TSV, CSV -> new RowRecordWriter(out, syntax(), text, columns(List.of()), lineEnd);
          case RAW -> new RawWriter(out, lineEnd);
          case JSONL ->
              fields.isGiven()
                  ? new JsonObjectsWriter(out, fields, text == FieldText.HEX)
                  : new JsonLinesWriter(out, text == FieldText.HEX);
        };
    if (header != null) {
      out.write(header.getBytes(UTF_8));
      out.write(lineEnd.bytes());
    }
    return writer;
  }

  private RowSyntax syntax() {
    return format == RecordFormat.CSV ? new CsvSyntax() : new TsvSyntax(lineEnd);
  }

  private Columns columns(List<String> names) {
    return keysOnly
        ? Columns.keysOnly(keyColumn, names)
        : Columns.keysAndValues(
            keyColumn, valueColumn, names, format == RecordFormat.TSV && text == FieldText.PLAIN);
  }

  private static List<String> names(RowReader rows) throws IOException {
    if (!rows.next()) {
      throw new IllegalArgumentException("the input is empty; --header needs a first line");
    }
    List<String> names = rows.fields().stream().map(name -> new String(name, UTF_8)).toList();
    // Spreadsheets write a byte order mark, which the user does not see.
    return names.get(0).startsWith(BYTE_ORDER_MARK)
        ? withFirst(names.get(0).substring(1), names)
        : names;
  }

  private static List<String> withFirst(String first, List<String> names) {
    List<String> changed = new ArrayList<>(names);
    changed.set(0, first);
    return changed;
  }
}
