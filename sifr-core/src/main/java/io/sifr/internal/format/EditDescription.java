package io.sifr.internal.format;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** An edit for people: what it is, and its fields in order. Not thread-safe. */
public final class EditDescription {
  private final String kind;
  private final Map<String, Object> fields = new LinkedHashMap<>();

  /**
   * One without fields.
   *
   * @param kind what it is, one to three words
   */
  public EditDescription(String kind) {
    this.kind = kind;
  }

  /** What the edit is. */
  public String kind() {
    return kind;
  }

  /** Its fields: numbers, strings, and byte arrays for keys. */
  public Map<String, Object> fields() {
    return Collections.unmodifiableMap(fields);
  }

  public EditDescription with(String field, long value) {
    fields.put(field, value);
    return this;
  }

  public EditDescription with(String field, String value) {
    fields.put(field, value);
    return this;
  }

  public EditDescription with(String field, byte[] key) {
    fields.put(field, key);
    return this;
  }

  public EditDescription with(String field, List<Long> numbers) {
    return with(field, numbers.stream().map(String::valueOf).collect(Collectors.joining(" ")));
  }
}
