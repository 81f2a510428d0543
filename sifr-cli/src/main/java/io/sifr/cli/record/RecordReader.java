package io.sifr.cli.record;

import java.io.IOException;

/** Reads entries from text, line by line. Not thread-safe. */
public interface RecordReader {
  /**
   * Goes to the next entry.
   *
   * @return whether there is one
   * @throws BadRecordException when the next line is not an entry; the reader must not be used
   *     again
   */
  boolean next() throws IOException;

  /** Key of the entry. */
  byte[] key();

  /** Value of the entry. */
  byte[] value();

  /** Number of the entry's line, from 1. */
  long line();

  /** Bytes of the input up to and with the entry's line. */
  long bytesRead();
}
