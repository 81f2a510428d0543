package io.sifr.error;

import java.nio.file.Path;

/** The store was opened to be read only, see {@link io.sifr.Store.Builder#openReadOnly}. */
public final class ReadOnlyStoreException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final transient Path directory;

  /**
   * @param directory the store's directory
   */
  public ReadOnlyStoreException(Path directory) {
    super(directory + " was opened to be read only; nothing can be written to it");
    this.directory = directory;
  }

  /** The store's directory. */
  public Path directory() {
    return directory;
  }
}
