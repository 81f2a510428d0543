package io.sifr.cli;

/** A command cannot do its work. The message is shown to the user. */
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

  /** A failure with the message of the store. */
  CommandFailure(int exitCode, Exception cause) {
    this(exitCode, String.valueOf(cause.getMessage()), cause);
  }

  int exitCode() {
    return exitCode;
  }
}
