package io.sifr.cli.record;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** JSON as all commands read and write it. */
public final class Json {
  static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .streamReadConstraints(
              // The longest value takes 1 GiB of hexadecimal digits; lines are bounded elsewhere.
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          // It is UTF-8: two bytes that look like UTF-16 are damage.
          .disable(JsonFactory.Feature.CHARSET_DETECTION)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          // Characters above U+FFFF are UTF-8 like all others, not two escapes.
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          .build();

  private Json() {}

  /** A generator that leaves {@code out} open when it is closed, and flushes it only then. */
  public static JsonGenerator generator(OutputStream out) throws IOException {
    // Each object is on a line of its own; the callers write the line ends.
    return FACTORY
        .createGenerator(out)
        .disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM)
        .setRootValueSeparator(null);
  }

  /**
   * Writes a field of bytes: under its name when they are valid UTF-8, otherwise, or with {@code
   * hex}, as hexadecimal digits under the name with "Hex" appended.
   */
  public static void writeBytes(JsonGenerator json, String name, byte[] bytes, boolean hex)
      throws IOException {
    @Nullable String text = hex ? null : TextBytes.utf8(bytes);
    if (text == null) {
      json.writeStringField(name + "Hex", TextBytes.toHex(bytes));
    } else {
      json.writeStringField(name, text);
    }
  }
}
