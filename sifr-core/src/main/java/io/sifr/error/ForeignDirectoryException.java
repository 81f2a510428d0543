package io.sifr.error;

import java.nio.file.Path;

/**
 * A directory holds files of another product where those of a store belong, LevelDB's or RocksDB's
 * for instance. Nothing in it was changed, and nothing is damaged.
 */
public final class ForeignDirectoryException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final transient Path directory;

  /**
   * @param directory the directory
   * @param what what it is instead, and what can be done about it
   */
  public ForeignDirectoryException(Path directory, String what) {
    super(directory + " is no store of Sifr: " + what);
    this.directory = directory;
  }

  /** The directory. */
  public Path directory() {
    return directory;
  }
}
