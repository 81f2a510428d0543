package io.sifr.error;

import java.nio.file.Path;

/**
 * The fast or the cold directory of a store is missing, was not mounted, or is not the one that
 * belongs to it. Nothing was changed, and nothing is lost: the message says what was found, and
 * what can be done.
 */
public final class SideDirectoryException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final transient Path directory;

  /**
   * @param directory the directory
   * @param role what it is to the store: "fast directory" or "cold directory"
   * @param store the store's directory
   * @param what what is wrong, and what can be done about it
   */
  public SideDirectoryException(Path directory, String role, Path store, String what) {
    super(directory + " cannot be the " + role + " of the store in " + store + ": " + what);
    this.directory = directory;
  }

  /** The directory that was refused. */
  public Path directory() {
    return directory;
  }
}
