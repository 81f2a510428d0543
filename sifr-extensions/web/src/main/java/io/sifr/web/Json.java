package io.sifr.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.HexFormat;

/** JSON of the answers. */
final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();
  private static final HexFormat HEX = HexFormat.of();

  private Json() {}

  /** Writes the fields of an object. */
  interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  /** An object, as UTF-8; what is no character in a text becomes a question mark. */
  static byte[] object(Fields fields) {
    // Characters first: written as bytes, half a surrogate pair in a message would be an exception.
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString().getBytes(UTF_8);
  }

  /** Bytes as hexadecimal digits. */
  static String hex(byte[] bytes) {
    return HEX.formatHex(bytes);
  }

  /** As above, of the first of them. */
  static String hex(byte[] bytes, int length) {
    return HEX.formatHex(bytes, 0, Math.min(length, bytes.length));
  }
}
