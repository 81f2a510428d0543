package io.sifr.bench.process;

/** A child process did not end as it should. */
public final class ChildFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  ChildFailedException(String what, int exitCode) {
    super("the process that ran " + what + " ended with exit code " + exitCode);
    this.exitCode = exitCode;
  }

  /** What the process said when it ended. */
  public int exitCode() {
    return exitCode;
  }
}
