package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.record.Json;
import io.sifr.cli.terminal.Console;
import java.io.IOException;
import picocli.CommandLine.Option;

/** The option to write for programs instead of people. */
final class JsonMixin {
  @Option(names = "--json", description = "Write JSON.")
  private boolean json;

  /** The fields of a JSON object. */
  interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  boolean isJson() {
    return json;
  }

  /** Writes a JSON object on a line of its own. */
  static void writeObject(Console console, Fields fields) throws IOException {
    try (JsonGenerator generator = Json.generator(console.out())) {
      generator.writeStartObject();
      fields.write(generator);
      generator.writeEndObject();
    }
    console.out().write('\n');
  }
}
