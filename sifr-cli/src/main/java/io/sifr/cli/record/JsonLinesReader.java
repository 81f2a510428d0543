package io.sifr.cli.record;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads {@link RecordFormat#JSONL}. */
final class JsonLinesReader extends JsonRecordReader {
  private static final String FORM = "{\"key\":\"…\",\"value\":\"…\"}";

  private final boolean keysOnly;

  /**
   * @param keysOnly whether an object has no value
   */
  JsonLinesReader(LineReader lines, boolean keysOnly) {
    super(lines);
    this.keysOnly = keysOnly;
  }

  @Override
  void parse(JsonParser parser) throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw bad(parser, "not a JSON object; allowed: " + FORM);
    }
    byte @Nullable [] newKey = null;
    byte @Nullable [] newValue = null;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      if (parser.nextToken() != JsonToken.VALUE_STRING) {
        throw bad(parser, "'" + name + "' is not a string; allowed: " + FORM);
      }
      switch (name) {
        case "key", "keyHex" -> newKey = once(parser, "key", newKey);
        case "value", "valueHex" -> newValue = once(parser, "value", newValue);
        default ->
            throw bad(
                parser, "unknown field '" + name + "'; known are key, keyHex, value and valueHex");
      }
    }
    if (newKey == null) {
      throw refused("no key; allowed: " + FORM);
    } else if (newValue == null && !keysOnly) {
      throw refused("no value; allowed: " + FORM + "; --keys-only reads only keys");
    } else if (newValue != null && keysOnly) {
      throw refused("a value; allowed with --keys-only: only the key");
    }
    setEntry(newKey, newValue == null ? new byte[0] : newValue);
  }

  private byte[] once(JsonParser parser, String what, byte @Nullable [] before) throws IOException {
    if (before != null) {
      throw bad(parser, "two fields for the " + what);
    }
    String name = parser.currentName();
    try {
      return name.endsWith("Hex")
          ? TextBytes.fromHex(parser.getText())
          : TextBytes.utf8(parser.getText());
    } catch (IllegalArgumentException e) {
      throw bad(parser, name + ": " + e.getMessage());
    }
  }
}
