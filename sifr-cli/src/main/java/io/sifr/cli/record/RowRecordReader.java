package io.sifr.cli.record;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads an entry from each row of a table. */
final class RowRecordReader implements RecordReader {
  private final RowSyntax syntax;
  private final RowReader rows;
  private final FieldText text;
  private final Columns columns;
  private byte[] key = {};
  private byte[] value = {};

  RowRecordReader(RowSyntax syntax, RowReader rows, FieldText text, Columns columns) {
    this.syntax = syntax;
    this.rows = rows;
    this.text = text;
    this.columns = columns;
  }

  @Override
  public boolean next() throws IOException {
    if (!rows.next()) {
      return false;
    }
    List<byte[]> fields = rows.fields();
    @Nullable String mistake = columns.mistake(fields.size());
    if (mistake != null) {
      throw new BadRecordException(line(), columns.mistaken(fields.size()), mistake);
    }
    key = decoded(fields, columns.key());
    value =
        switch (columns.value()) {
          case Columns.NONE -> new byte[0];
          case Columns.REST -> rest(fields);
          default -> decoded(fields, columns.value());
        };
    return true;
  }

  private byte[] decoded(List<byte[]> fields, int column) throws BadRecordException {
    try {
      return text.decode(fields.get(column - 1));
    } catch (IllegalArgumentException e) {
      throw new BadRecordException(line(), column, String.valueOf(e.getMessage()));
    }
  }

  private byte[] rest(List<byte[]> fields) {
    List<byte[]> others = new ArrayList<>(fields);
    others.remove(columns.key() - 1);
    return syntax.join(others);
  }

  @Override
  public byte[] key() {
    return key;
  }

  @Override
  public byte[] value() {
    return value;
  }

  @Override
  public BadRecordException refused(String what) {
    return new BadRecordException(line(), BadRecordException.NO_COLUMN, what);
  }

  @Override
  public long bytesRead() {
    return rows.bytesRead();
  }

  private long line() {
    return rows.line();
  }
}
