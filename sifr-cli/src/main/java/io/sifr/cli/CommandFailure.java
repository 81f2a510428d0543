package io.sifr.cli;

/** A command cannot do what it was asked for. The message is for the person who asked. */
final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  CommandFailure(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  CommandFailure(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** A failure that the store has put into words already. */
  CommandFailure(int exitCode, Exception cause) {
    this(exitCode, String.valueOf(cause.getMessage()), cause);
  }

  int exitCode() {
    return exitCode;
  }
}
