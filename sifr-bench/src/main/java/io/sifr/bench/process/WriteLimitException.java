package io.sifr.bench.process;

/** Writes to a device cannot be limited, or the limit cannot be taken away. */
public final class WriteLimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The message says why. */
  public WriteLimitException(String message) {
    super(message);
  }

  /** The cause is the error of the system. */
  public WriteLimitException(String message, Throwable cause) {
    super(message + ": " + cause, cause);
  }
}
