package io.sifr.bench.process;

/** A child process failed. */
public final class ChildFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /** For the process that ran {@code what}. */
  public ChildFailedException(String what, int exitCode) {
    super("the process that ran " + what + " ended with exit code " + exitCode);
    this.exitCode = exitCode;
  }

  /** The exit code of the process, one of {@link ExitCodes} unless it crashed. */
  public int exitCode() {
    return exitCode;
  }
}
