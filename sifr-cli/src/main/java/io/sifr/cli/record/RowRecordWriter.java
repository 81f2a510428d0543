package io.sifr.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes each entry as a row of a table. */
final class RowRecordWriter implements RecordWriter {
  private final OutputStream out;
  private final RowSyntax syntax;
  private final FieldText text;
  private final Columns columns;
  private final byte[] lineEnd;

  RowRecordWriter(
      OutputStream out, RowSyntax syntax, FieldText text, Columns columns, LineEnd lineEnd) {
    this.out = out;
    this.syntax = syntax;
    this.text = text;
    this.columns = columns;
    this.lineEnd = lineEnd.bytes();
  }

  @Override
  public void write(byte[] key, byte[] value) throws IOException {
    List<byte[]> fields = columns.value() == Columns.REST ? rest(key, value) : field(key, value);
    if (columns.key() > fields.size() + 1) {
      throw new UnwritableEntryException(
          key,
          "its value has " + fields.size() + " columns",
          "allowed for --key-column: 1 to " + (fields.size() + 1));
    }
    fields.add(columns.key() - 1, writable(key, "key", key));
    out.write(syntax.join(fields));
    out.write(lineEnd);
  }

  @Override
  public void writeKey(byte[] key) throws IOException {
    out.write(syntax.join(List.of(writable(key, "key", key))));
    out.write(lineEnd);
  }

  private List<byte[]> field(byte[] key, byte[] value) throws UnwritableEntryException {
    List<byte[]> fields = new ArrayList<>();
    fields.add(writable(key, "value", value));
    return fields;
  }

  private List<byte[]> rest(byte[] key, byte[] value) throws UnwritableEntryException {
    @Nullable List<byte[]> fields = syntax.split(value);
    if (fields == null) {
      throw new UnwritableEntryException(
          key,
          "its value is not a row of this format",
          "use --value-column 2 to write it as one column");
    }
    for (byte[] field : fields) {
      var unused = writable(key, "value", field);
    }
    return new ArrayList<>(fields);
  }

  private byte[] writable(byte[] key, String what, byte[] bytes) throws UnwritableEntryException {
    byte[] field = text.encode(bytes);
    @Nullable String obstacle = syntax.obstacle(field);
    if (obstacle != null) {
      throw new UnwritableEntryException(
          key,
          "its " + what + " holds " + obstacle,
          "use --escaped, --format csv or --format jsonl");
    }
    return field;
  }
}
