package io.sifr.cli.record;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads {@link RecordFormat#JSONL}. */
final class JsonLinesReader extends LineRecordReader {
  JsonLinesReader(LineReader lines) {
    super(lines);
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
      throw bad("not JSON: " + e.getOriginalMessage());
    }
    return true;
  }

  private boolean isBlank() {
    for (int i = lines.start(); i < lines.end(); i++) {
      if (lines.buffer()[i] != ' ' && lines.buffer()[i] != '\t') {
        return false;
      }
    }
    return true;
  }

  private void parse(JsonParser parser) throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw bad("not a JSON object");
    }
    byte @Nullable [] newKey = null;
    byte @Nullable [] newValue = null;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      if (parser.nextToken() != JsonToken.VALUE_STRING) {
        throw bad("'" + name + "' is not a string");
      }
      switch (name) {
        case "key", "keyHex" -> newKey = once("key", newKey, bytes(name, parser.getText()));
        case "value", "valueHex" ->
            newValue = once("value", newValue, bytes(name, parser.getText()));
        default ->
            throw bad("unknown field '" + name + "'; known are key, keyHex, value and valueHex");
      }
    }
    if (parser.nextToken() != null) {
      throw bad("more than one JSON object");
    }
    if (newKey == null || newValue == null) {
      throw bad(newKey == null ? "no key" : "no value");
    }
    setEntry(newKey, newValue);
  }

  private byte[] once(String what, byte @Nullable [] before, byte[] now) throws IOException {
    if (before != null) {
      throw bad("two fields for the " + what);
    }
    return now;
  }

  private byte[] bytes(String name, String text) throws IOException {
    try {
      return name.endsWith("Hex") ? TextBytes.fromHex(text) : TextBytes.utf8(text);
    } catch (IllegalArgumentException e) {
      throw bad(name + ": " + e.getMessage());
    }
  }
}
