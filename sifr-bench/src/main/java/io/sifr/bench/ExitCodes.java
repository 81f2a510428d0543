package io.sifr.bench;

/** What the process says when it ends. */
final class ExitCodes {
  /** Done. */
  static final int OK = 0;

  /** The command line is wrong. */
  static final int USAGE = 2;

  /** A store gave a wrong answer. */
  static final int WRONG_ANSWER = 3;

  /** A store, a file or a child process failed. */
  static final int FAILED = 4;

  /** A mistake of this program. */
  static final int INTERNAL = 70;

  private ExitCodes() {}
}
