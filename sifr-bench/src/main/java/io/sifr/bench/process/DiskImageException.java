package io.sifr.bench.process;

/** A file system in a file cannot be made, or not be taken away again. */
public final class DiskImageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The message says why. */
  public DiskImageException(String message) {
    super(message);
  }

  /** The cause is what the system said. */
  public DiskImageException(String message, Throwable cause) {
    super(message + ": " + cause, cause);
  }
}
