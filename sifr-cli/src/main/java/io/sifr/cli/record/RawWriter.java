package io.sifr.cli.record;

import java.io.IOException;
import java.io.OutputStream;

/** Writes {@link RecordFormat#RAW}. */
final class RawWriter implements RecordWriter {
  private final OutputStream out;
  private final byte[] lineEnd;

  RawWriter(OutputStream out, LineEnd lineEnd) {
    this.out = out;
    this.lineEnd = lineEnd.bytes();
  }

  @Override
  public void write(byte[] key, byte[] value) throws IOException {
    check(key, "key", key, '\n', "a line feed");
    check(key, "key", key, '\t', "a tab");
    check(key, "value", value, '\n', "a line feed");
    out.write(key);
    if (value.length > 0) {
      out.write('\t');
      out.write(value);
    }
    out.write(lineEnd);
  }

  @Override
  public void writeKey(byte[] key) throws IOException {
    check(key, "key", key, '\n', "a line feed");
    out.write(key);
    out.write(lineEnd);
  }

  private static void check(byte[] key, String what, byte[] bytes, char forbidden, String name)
      throws UnwritableEntryException {
    for (byte b : bytes) {
      if (b == forbidden) {
        throw new UnwritableEntryException(
            key,
            "its " + what + " holds " + name,
            "use --format tsv --escaped, --format csv or --format jsonl");
      }
    }
  }
}
