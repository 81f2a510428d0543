package io.sifr.cli.record;

import java.io.IOException;

/** Writes entries as text, one a line. Not thread-safe. */
public interface RecordWriter {
  /** Writes an entry. */
  void write(byte[] key, byte[] value) throws IOException;

  /** Writes a key alone. Such lines cannot be read back as entries. */
  void writeKey(byte[] key) throws IOException;
}
