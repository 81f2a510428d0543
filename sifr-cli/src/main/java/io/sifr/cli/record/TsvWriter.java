package io.sifr.cli.record;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes {@link RecordFormat#TSV}. */
final class TsvWriter implements RecordWriter {
  private final OutputStream out;
  private final boolean hex;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream(512);

  TsvWriter(OutputStream out, boolean hex) {
    this.out = out;
    this.hex = hex;
  }

  @Override
  public void write(byte[] key, byte[] value) throws IOException {
    field(key);
    line.write('\t');
    field(value);
    endLine();
  }

  @Override
  public void writeKey(byte[] key) throws IOException {
    field(key);
    endLine();
  }

  private void field(byte[] bytes) {
    if (hex) {
      line.writeBytes(TextBytes.toHex(bytes).getBytes(StandardCharsets.US_ASCII));
    } else {
      TextBytes.escape(bytes, line);
    }
  }

  private void endLine() throws IOException {
    line.write('\n');
    line.writeTo(out);
    line.reset();
  }
}
