package io.sifr.bench.process;

/** The memory of a process cannot be limited, or the limit cannot be removed. */
public final class MemoryLimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The message says why. */
  public MemoryLimitException(String message) {
    super(message);
  }

  /** The cause is the error of the system. */
  public MemoryLimitException(String message, Throwable cause) {
    super(message + ": " + cause, cause);
  }
}
