package io.sifr.cli.record;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads a line of any JSON whose {@link JsonFields} say where the key and the value are. A key is
 * the text of a string or of a number. A value is the text of a string, and otherwise JSON as it
 * stands, byte for byte, as it is when the value is the whole line.
 */
final class JsonObjectsReader extends JsonRecordReader {
  private final String keyPath;
  private final JsonPointer keyField;
  private final @Nullable String valuePath;
  private final @Nullable JsonPointer valueField;
  private final boolean hex;
  private final boolean keysOnly;
  private byte @Nullable [] key;
  private byte @Nullable [] value;

  /**
   * @param fields where the key is, at least
   * @param hex whether strings are hexadecimal digits
   * @param keysOnly whether values are empty
   */
  JsonObjectsReader(LineReader lines, JsonFields fields, boolean hex, boolean keysOnly) {
    super(lines);
    this.keyPath = Objects.requireNonNull(fields.key());
    this.keyField = JsonFields.pointer("--key-field", keyPath);
    String path = fields.value();
    this.valueField = path == null ? null : JsonFields.pointer("--value-field", path);
    this.valuePath = path;
    this.hex = hex;
    this.keysOnly = keysOnly;
  }

  @Override
  void parse(JsonParser parser) throws IOException {
    key = null;
    value = null;
    if (parser.nextToken() != JsonToken.START_OBJECT
        && parser.currentToken() != JsonToken.START_ARRAY) {
      throw bad(parser, "not a JSON object; allowed: one with the field '" + keyPath + "'");
    }
    visit(parser, keyField, valueField);
    byte[] newKey = key;
    if (newKey == null) {
      throw refused("no field '" + keyPath + "'");
    } else if (keysOnly) {
      setEntry(newKey, new byte[0]);
    } else if (valueField == null) {
      setEntry(newKey, line());
    } else if (value == null) {
      throw refused("no field '" + valuePath + "'");
    } else {
      setEntry(newKey, value);
    }
  }

  /**
   * Looks for the fields in the value that the parser has begun, and goes to its end.
   *
   * @param toKey the way from there to the key, or null if it is not there
   * @param toValue the same for the value
   */
  private void visit(JsonParser parser, @Nullable JsonPointer toKey, @Nullable JsonPointer toValue)
      throws IOException {
    if (toKey == null && toValue == null) {
      parser.skipChildren();
      return;
    }
    if (toKey != null && toKey.matches()) {
      key = key(parser);
    }
    boolean isValue = toValue != null && toValue.matches();
    if (isValue && parser.currentToken().isScalarValue()) {
      value = scalar(parser);
      return;
    }
    long begin = parser.currentTokenLocation().getByteOffset();
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        parser.nextToken();
        visit(parser, below(toKey, name), below(toValue, name));
      }
    } else if (parser.currentToken() == JsonToken.START_ARRAY) {
      for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
        visit(
            parser,
            toKey == null ? null : toKey.matchElement(i),
            toValue == null ? null : toValue.matchElement(i));
      }
    }
    if (isValue) {
      requireNoHex(parser, String.valueOf(valuePath));
      value = bytes(begin, parser.currentLocation().getByteOffset());
    }
  }

  private static @Nullable JsonPointer below(@Nullable JsonPointer way, String name) {
    return way == null ? null : way.matchProperty(name);
  }

  private byte[] key(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case VALUE_STRING -> text(parser, keyPath);
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
        requireNoHex(parser, keyPath);
        yield parser.getText().getBytes(US_ASCII);
      }
      default ->
          throw bad(
              parser,
              "'"
                  + keyPath
                  + "' is "
                  + word(parser.currentToken())
                  + "; allowed for a key: a string or a number");
    };
  }

  private byte[] scalar(JsonParser parser) throws IOException {
    String path = String.valueOf(valuePath);
    if (parser.currentToken() == JsonToken.VALUE_STRING) {
      return text(parser, path);
    }
    requireNoHex(parser, path);
    return parser.getText().getBytes(US_ASCII);
  }

  private void requireNoHex(JsonParser parser, String path) throws BadRecordException {
    if (hex) {
      throw bad(parser, "'" + path + "' is no string; allowed with --hex: hexadecimal digits");
    }
  }

  private byte[] text(JsonParser parser, String path) throws IOException {
    try {
      return hex ? TextBytes.fromHex(parser.getText()) : TextBytes.utf8(parser.getText());
    } catch (IllegalArgumentException e) {
      throw bad(parser, path + ": " + e.getMessage());
    }
  }

  private static String word(JsonToken token) {
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "an array";
      default -> token.asString().toLowerCase(Locale.ROOT);
    };
  }
}
