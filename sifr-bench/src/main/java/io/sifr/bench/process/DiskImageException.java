package io.sifr.bench.process;

/** A file system in a file cannot be created or removed. */
public final class DiskImageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The message says why. */
  public DiskImageException(String message) {
    super(message);
  }

  /** The cause is the error of the system. */
  public DiskImageException(String message, Throwable cause) {
    super(message + ": " + cause, cause);
  }
}
