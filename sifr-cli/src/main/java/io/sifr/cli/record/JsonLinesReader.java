package io.sifr.cli.record;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads {@link RecordFormat#JSONL}. */
final class JsonLinesReader extends LineRecordReader {
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
  public boolean next() throws IOException {
    do {
      if (!lines.next()) {
        return false;
      }
    } while (isBlank());
    try (JsonParser parser =
        Json.FACTORY.createParser(lines.buffer(), lines.start(), lines.end() - lines.start())) {
      parse(parser);
    } catch (JsonProcessingException e) {
      throw bad(column(e.getLocation()), "not JSON: " + e.getOriginalMessage());
    }
    return true;
  }

  private boolean isBlank() {
    for (int i = lines.start(); i < lines.end(); i++) {
      if (" \t\r".indexOf(lines.buffer()[i]) < 0) {
        return false;
      }
    }
    return true;
  }

  private static int column(@Nullable JsonLocation location) {
    return location == null ? BadRecordException.NO_COLUMN : location.getColumnNr();
  }

  /** The exception for an error at the parser's position. */
  private BadRecordException bad(JsonParser parser, String what) {
    return bad(column(parser.currentTokenLocation()), what);
  }

  private void parse(JsonParser parser) throws IOException {
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
    if (parser.nextToken() != null) {
      throw bad(parser, "more than one JSON object");
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
