package io.sifr.cli.record;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Reads {@link RecordFormat#TSV}. */
final class TsvReader extends LineRecordReader {
  private final boolean hex;

  TsvReader(LineReader lines, boolean hex) {
    super(lines);
    this.hex = hex;
  }

  @Override
  public boolean next() throws IOException {
    if (!lines.next()) {
      return false;
    }
    byte[] line = lines.buffer();
    int tab = indexOfTab(line, lines.start(), lines.end());
    if (tab < 0) {
      throw bad("no tab between key and value");
    }
    if (indexOfTab(line, tab + 1, lines.end()) >= 0) {
      throw bad("a second tab; write tabs of the value as \\t, or use --hex");
    }
    setEntry(field("key", line, lines.start(), tab), field("value", line, tab + 1, lines.end()));
    return true;
  }

  private static int indexOfTab(byte[] line, int from, int to) {
    for (int i = from; i < to; i++) {
      if (line[i] == '\t') {
        return i;
      }
    }
    return -1;
  }

  private byte[] field(String name, byte[] line, int from, int to) throws BadRecordException {
    try {
      return hex
          ? TextBytes.fromHex(new String(line, from, to - from, StandardCharsets.ISO_8859_1))
          : TextBytes.unescape(line, from, to);
    } catch (IllegalArgumentException e) {
      throw bad(name + ": " + e.getMessage());
    }
  }
}
