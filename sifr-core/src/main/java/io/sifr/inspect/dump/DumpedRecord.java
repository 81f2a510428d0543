package io.sifr.inspect.dump;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One piece of a file as {@code FileDump} shows it: a header, a block, an entry, a log record, an
 * operation, an edit.
 *
 * @param offset byte offset of the piece in the file
 * @param length its length in bytes
 * @param depth 0 for a piece of the file, 1 for a part of the last piece of depth 0
 * @param kind what it is, one or two words
 * @param fields its fields in order; values are strings, numbers, booleans or byte arrays (keys and
 *     values)
 */
public record DumpedRecord(
    long offset, long length, int depth, String kind, Map<String, Object> fields) {
  /** An immutable copy. */
  public DumpedRecord {
    fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }
}
