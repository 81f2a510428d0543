package io.sifr.cli;

/** The exit codes of the process. */
final class ExitCodes {
  /** Done. */
  static final int OK = 0;

  /** The key has no value. */
  static final int NOT_FOUND = 1;

  /** The command line is wrong: an unknown option, a size out of range, a key that is too long. */
  static final int USAGE = 2;

  /**
   * Something is wrong in the store: a check has findings, a salvage found damage, a backup is
   * damaged, or the demo read a wrong value.
   */
  static final int FINDINGS = 3;

  /** The store, the database or a file cannot be used: missing, locked, damaged, full, refused. */
  static final int UNUSABLE = 4;

  /** A line of the input is not an entry, or an entry cannot be written in the format. */
  static final int BAD_INPUT = 5;

  /** A defect of this program. */
  static final int INTERNAL = 70;

  /** Stopped by SIGINT, as shells count it. */
  static final int STOPPED = 130;

  /** The reader of the output closed it, as shells count SIGPIPE. */
  static final int OUTPUT_CLOSED = 141;

  private ExitCodes() {}
}
