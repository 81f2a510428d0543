package io.sifr.cli.record;

import com.fasterxml.jackson.core.JsonPointer;
import org.jspecify.annotations.Nullable;

/**
 * The places of key and value in the JSON objects of any program: the names of fields, with dots
 * between those of nested objects ({@code user.id}), or JSON pointers as in RFC 6901 ({@code
 * /user/id}). Immutable.
 *
 * @param key field of the key, or null when objects have the fields of {@link RecordFormat#JSONL}
 * @param value field of the value, or null when the value is the line
 */
public record JsonFields(@Nullable String key, @Nullable String value) {
  /** The fields of {@link RecordFormat#JSONL}. */
  public static final JsonFields NONE = new JsonFields(null, null);

  /**
   * Checks the paths.
   *
   * @throws IllegalArgumentException when one is empty or no pointer, when only the value's is
   *     given, or when both are the same
   */
  public JsonFields {
    if (key == null && value != null) {
      throw new IllegalArgumentException("--value-field needs --key-field");
    }
    if (key != null) {
      JsonPointer ofKey = pointer("--key-field", key);
      if (value != null && pointer("--value-field", value).equals(ofKey)) {
        throw new IllegalArgumentException("key and value cannot both be the field " + key);
      }
    }
  }

  /** Whether there are any. */
  public boolean isGiven() {
    return key != null;
  }

  /** Whether key and value are fields of the object itself, so that it can be written. */
  boolean areNames() {
    return isName(key) && isName(value);
  }

  private static boolean isName(@Nullable String path) {
    return path == null || pointer("", path).tail().matches();
  }

  /** The name of a field of the object itself. */
  static String name(String path) {
    return pointer("", path).getMatchingProperty();
  }

  /** The path as a pointer. */
  static JsonPointer pointer(String option, String path) {
    if (path.startsWith("/")) {
      return JsonPointer.compile(path);
    }
    StringBuilder pointer = new StringBuilder();
    for (String name : path.split("\\.", -1)) {
      if (name.isEmpty()) {
        throw new IllegalArgumentException(
            option
                + " is '"
                + path
                + "'; allowed: names with a dot between them, or a JSON pointer such as /user/id");
      }
      pointer.append('/').append(name.replace("~", "~0").replace("/", "~1"));
    }
    return JsonPointer.compile(pointer.toString());
  }
}
