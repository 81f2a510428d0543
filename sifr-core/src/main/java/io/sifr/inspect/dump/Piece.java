package io.sifr.inspect.dump;

import io.sifr.internal.format.EditDescription;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A {@link DumpedRecord} in the making. */
final class Piece {
  private final String kind;
  private final Map<String, Object> fields = new LinkedHashMap<>();

  Piece(String kind) {
    this.kind = kind;
  }

  Piece(EditDescription edit) {
    this(edit.kind());
    fields.putAll(edit.fields());
  }

  Piece with(String field, long value) {
    fields.put(field, value);
    return this;
  }

  Piece with(String field, String value) {
    fields.put(field, value);
    return this;
  }

  Piece with(String field, byte[] value) {
    fields.put(field, value);
    return this;
  }

  /** A piece of the file. */
  DumpedRecord at(long offset, long length) {
    return new DumpedRecord(offset, length, 0, kind, fields);
  }

  /** A part of the last piece of the file. */
  DumpedRecord within(long offset, long length) {
    return new DumpedRecord(offset, length, 1, kind, fields);
  }

  static String hex(long id) {
    return String.format(Locale.ROOT, "%016x", id);
  }
}
