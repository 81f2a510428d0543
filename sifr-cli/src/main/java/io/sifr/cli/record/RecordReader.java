package io.sifr.cli.record;

import java.io.IOException;

/** Reads entries from text, line by line. Not thread-safe. */
public interface RecordReader {
  /**
   * Moves to the next entry.
   *
   * @return whether there is one
   * @throws BadRecordException when the next line is not an entry; the one after it can be read
   *     unless the exception is the {@linkplain BadRecordException#isLast last}
   */
  boolean next() throws IOException;

  /** Key of the entry. */
  byte[] key();

  /** Value of the entry. */
  byte[] value();

  /** The exception to throw when the line is valid but the store refuses the entry. */
  BadRecordException refused(String what);

  /** Bytes of the input up to the end of the entry's line; more if the reader reads ahead. */
  long bytesRead();
}
