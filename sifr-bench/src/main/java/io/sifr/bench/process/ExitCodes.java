package io.sifr.bench.process;

/** The exit codes of this program. */
public final class ExitCodes {
  /** Done. */
  public static final int OK = 0;

  /** The command line is wrong. */
  public static final int USAGE = 2;

  /** A store gave a wrong answer. */
  public static final int WRONG_ANSWER = 3;

  /** A store, a file or a child process failed. */
  public static final int FAILED = 4;

  /** A defect of this program. */
  public static final int INTERNAL = 70;

  /** Stopped by SIGINT, as shells count it. */
  public static final int STOPPED = 130;

  private ExitCodes() {}
}
