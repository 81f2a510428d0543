package io.sifr.error;

import java.nio.file.Path;

/**
 * The fast directory of a store is missing, was not mounted, or is not the one that belongs to it.
 * Nothing was changed, and nothing is lost: the message says what was found, and what can be done.
 */
public final class FastDirectoryException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final transient Path directory;

  /**
   * @param directory the fast directory
   * @param store the store's directory
   * @param what what is wrong, and what can be done about it
   */
  public FastDirectoryException(Path directory, Path store, String what) {
    super(directory + " cannot be the fast directory of the store in " + store + ": " + what);
    this.directory = directory;
  }

  /** The fast directory. */
  public Path directory() {
    return directory;
  }
}
