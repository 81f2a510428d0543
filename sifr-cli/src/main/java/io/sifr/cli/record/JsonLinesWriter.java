package io.sifr.cli.record;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;

/** Writes {@link RecordFormat#JSONL}. */
final class JsonLinesWriter implements RecordWriter {
  private final OutputStream out;
  private final boolean hex;
  private final JsonGenerator json;

  JsonLinesWriter(OutputStream out, boolean hex) throws IOException {
    this.out = out;
    this.hex = hex;
    this.json = Json.generator(out);
  }

  @Override
  public void write(byte[] key, byte[] value) throws IOException {
    json.writeStartObject();
    Json.writeBytes(json, "key", key, hex);
    Json.writeBytes(json, "value", value, hex);
    endLine();
  }

  @Override
  public void writeKey(byte[] key) throws IOException {
    json.writeStartObject();
    Json.writeBytes(json, "key", key, hex);
    endLine();
  }

  private void endLine() throws IOException {
    json.writeEndObject();
    json.flush();
    out.write('\n');
  }
}
