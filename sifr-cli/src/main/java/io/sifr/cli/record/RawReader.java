package io.sifr.cli.record;

import java.io.IOException;
import java.util.Arrays;

/** Reads {@link RecordFormat#RAW}. */
final class RawReader extends LineRecordReader {
  private final boolean keysOnly;

  /**
   * @param keysOnly whether whole lines are keys, including tabs
   */
  RawReader(LineReader lines, boolean keysOnly) {
    super(lines);
    this.keysOnly = keysOnly;
  }

  @Override
  public boolean next() throws IOException {
    if (!lines.next()) {
      return false;
    }
    int tab = keysOnly ? lines.end() : tab();
    // The line without this tab would be the same entry.
    if (tab == lines.end() - 1) {
      throw bad(
          2,
          "nothing after the tab; allowed: a value, or no tab; --format tsv allows empty values");
    }
    setEntry(bytes(lines.start(), tab), bytes(Math.min(tab + 1, lines.end()), lines.end()));
    return true;
  }

  private int tab() {
    int at = lines.start();
    while (at < lines.end() && lines.buffer()[at] != '\t') {
      at++;
    }
    return at;
  }

  private byte[] bytes(int from, int to) {
    return Arrays.copyOfRange(lines.buffer(), from, to);
  }
}
