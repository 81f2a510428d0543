package io.sifr.error;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The file system has no room for what the store had to write, or no more than what flushes,
 * compactions and deletes need. No acknowledged write is lost, reads go on, and writes are accepted
 * again as soon as there is space.
 */
public final class StoreFullException extends StoreIoException {
  private static final long serialVersionUID = 1L;

  private final IOException cause;

  /**
   * @param file the file that could not be written
   * @param operation what was tried, as a verb
   * @param cause what the platform reported
   */
  public StoreFullException(Path file, String operation, IOException cause) {
    super(file, operation, cause);
    this.cause = cause;
  }

  @Override
  public StoreFullException again() {
    return new StoreFullException(file(), operation(), cause);
  }
}
