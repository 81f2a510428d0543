package io.sifr.cli.record;

import java.io.IOException;
import java.util.List;

/** Reads rows of fields. Not thread-safe. */
interface RowReader {
  /**
   * Moves to the next row.
   *
   * @return whether there is one
   * @throws BadRecordException when the next line is not a row
   */
  boolean next() throws IOException;

  /** The fields of the row, at least one. */
  List<byte[]> fields();

  /** Number of the line in which the row begins, from 1. */
  long line();

  /** Bytes of the input up to the end of the row; may be more if the reader reads ahead. */
  long bytesRead();
}
