package io.sifr.cli.record;

import java.io.IOException;

/** Writes entries as text, one per line. Not thread-safe. */
public interface RecordWriter {
  /**
   * Writes an entry.
   *
   * @throws UnwritableEntryException when it would not be read back as it is
   */
  void write(byte[] key, byte[] value) throws IOException;

  /**
   * Writes a key alone.
   *
   * @throws UnwritableEntryException when it would not be read back as it is
   */
  void writeKey(byte[] key) throws IOException;
}
