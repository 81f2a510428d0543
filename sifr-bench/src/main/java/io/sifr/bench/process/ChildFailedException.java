package io.sifr.bench.process;

/** A child process did not end as it should. */
public final class ChildFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /** Of the process that ran {@code what}. */
  public ChildFailedException(String what, int exitCode) {
    super("the process that ran " + what + " ended with exit code " + exitCode);
    this.exitCode = exitCode;
  }

  /** What the process said when it ended, one of {@link ExitCodes} unless it crashed. */
  public int exitCode() {
    return exitCode;
  }
}
