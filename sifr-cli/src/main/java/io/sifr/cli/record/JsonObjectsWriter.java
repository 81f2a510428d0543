package io.sifr.cli.record;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes what {@link JsonObjectsReader} reads: values that are JSON with their key in it as they
 * stand, or, when there is a field for the value, an object of two fields, in which a value that is
 * JSON stands as JSON, and any other as a string.
 */
final class JsonObjectsWriter implements RecordWriter {
  private final OutputStream out;
  private final JsonFields fields;
  private final boolean hex;
  private final JsonGenerator json;

  JsonObjectsWriter(OutputStream out, JsonFields fields, boolean hex) throws IOException {
    this.out = out;
    this.fields = fields;
    this.hex = hex;
    this.json = Json.generator(out);
  }

  @Override
  public void write(byte[] key, byte[] value) throws IOException {
    String valueField = fields.value();
    if (valueField == null) {
      requireReadBack(key, value);
      out.write(value);
      out.write('\n');
      return;
    }
    String text = isJson(value) ? null : text(key, "value", value);
    writeStart(key);
    json.writeFieldName(JsonFields.name(valueField));
    if (text == null) {
      json.writeRawValue(new String(value, StandardCharsets.UTF_8));
    } else {
      json.writeString(text);
    }
    writeEnd();
  }

  @Override
  public void writeKey(byte[] key) throws IOException {
    writeStart(key);
    writeEnd();
  }

  private void writeStart(byte[] key) throws IOException {
    String text = text(key, "key", key);
    json.writeStartObject();
    json.writeStringField(JsonFields.name(Objects.requireNonNull(fields.key())), text);
  }

  private void writeEnd() throws IOException {
    json.writeEndObject();
    json.flush();
    out.write('\n');
  }

  private String text(byte[] key, String what, byte[] bytes) throws UnwritableEntryException {
    @Nullable String text = hex ? TextBytes.toHex(bytes) : TextBytes.utf8(bytes);
    if (text == null) {
      throw new UnwritableEntryException(
          key, "its " + what + " is not valid UTF-8", "use --hex, or no --key-field");
    }
    return text;
  }

  private void requireReadBack(byte[] key, byte[] value) throws IOException {
    JsonObjectsReader reader = new JsonObjectsReader(LineReader.of(value), fields, hex, false);
    String why;
    try {
      if (reader.next() && Arrays.equals(reader.value(), value)) {
        if (Arrays.equals(reader.key(), key)) {
          return;
        }
        why = "the field '" + fields.key() + "' of its value is not the key";
      } else {
        why = "its value is not JSON in one line without blanks around it";
      }
    } catch (BadRecordException e) {
      why = "its value is not JSON with the key in it: " + e.what();
    }
    throw new UnwritableEntryException(
        key, why, "with --value-field it is written as a field of its own");
  }

  /** Whether bytes can stand in an object as they are: JSON other than a string, in one line. */
  private boolean isJson(byte[] value) throws IOException {
    if (hex
        || value.length == 0
        || value[0] <= ' '
        || value[value.length - 1] <= ' '
        || TextBytes.utf8(value) == null) {
      return false;
    }
    try (JsonParser parser = Json.FACTORY.createParser(value)) {
      return parser.nextToken() != JsonToken.VALUE_STRING
          && depth(parser) < StreamReadConstraints.DEFAULT_MAX_DEPTH // that of the object is added
          && parser.nextToken() == null
          && noneIsLineFeed(value);
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  /**
   * Moves to the end of a value that has begun, and returns how deep its objects and arrays are.
   */
  private static int depth(JsonParser parser) throws IOException {
    int deepest = 0;
    int depth = 0;
    JsonToken token = parser.currentToken();
    while (token != null) {
      depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
      deepest = Math.max(deepest, depth);
      token = depth == 0 ? null : parser.nextToken();
    }
    return deepest;
  }

  private static boolean noneIsLineFeed(byte[] value) {
    for (byte b : value) {
      if (b == '\n') {
        return false;
      }
    }
    return true;
  }
}
