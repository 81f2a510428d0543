package io.sifr.cli.record;

import java.io.IOException;

/** A line of the input is not an entry. */
public final class BadRecordException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param line number of the line, from 1
   * @param what what is wrong with it
   */
  public BadRecordException(long line, String what) {
    super("line " + line + ": " + what);
  }
}
