package io.sifr.cli.record;

import java.io.IOException;

/** A line of the input is not an entry. */
public final class BadRecordException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The column when the whole line is meant. */
  static final int NO_COLUMN = 0;

  private final long line;
  private final int column;
  private final String what;
  private final boolean last;

  private BadRecordException(long line, int column, String what, boolean last) {
    super("line " + line + (column == NO_COLUMN ? "" : ", column " + column) + ": " + what);
    this.line = line;
    this.column = column;
    this.what = what;
    this.last = last;
  }

  /**
   * @param line number of the line, from 1
   * @param column number of the column, from 1, or {@link #NO_COLUMN}; in JSON, which has no
   *     columns, the number of the character
   * @param what what is wrong, and what is allowed
   */
  BadRecordException(long line, int column, String what) {
    this(line, column, what, false);
  }

  /** The same, when it is unknown where the next line begins. */
  static BadRecordException last(long line, int column, String what) {
    return new BadRecordException(line, column, what, true);
  }

  /** Number of the line, from 1. */
  public long line() {
    return line;
  }

  /** Number of the column, from 1, or 0 when the whole line is meant. */
  public int column() {
    return column;
  }

  /** What is wrong, and what is allowed. */
  public String what() {
    return what;
  }

  /** Whether nothing can be read after this line. */
  public boolean isLast() {
    return last;
  }
}
