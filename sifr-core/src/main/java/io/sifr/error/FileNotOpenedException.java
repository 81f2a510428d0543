package io.sifr.error;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A file or a directory could not be created, opened or mapped: mostly because the process has too
 * many files open, sometimes because a permission is missing. Nothing was written and nothing is
 * lost. The store goes on: the call may be repeated, and work in the background is tried again.
 */
public final class FileNotOpenedException extends StoreIoException {
  private static final long serialVersionUID = 1L;

  private final IOException cause;

  /**
   * @param file the file or directory
   * @param operation what was tried, as a verb ("open", "create")
   * @param cause what the platform reported
   */
  public FileNotOpenedException(Path file, String operation, IOException cause) {
    super(file, operation, cause);
    this.cause = cause;
  }

  @Override
  public FileNotOpenedException again() {
    return new FileNotOpenedException(file(), operation(), cause);
  }
}
