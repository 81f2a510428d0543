package io.sifr.internal.io;

import io.sifr.error.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A directory that was to be synced could not be opened, for want of a file descriptor or of the
 * right to read it. Nothing was synced and nothing is lost, so it may be tried again; after a sync
 * that failed it may not, because the next one would report success for names that are lost.
 */
public final class DirectoryNotOpenedException extends StoreIoException {
  private static final long serialVersionUID = 1L;

  /**
   * @param directory the directory
   * @param cause what the platform reported
   */
  public DirectoryNotOpenedException(Path directory, IOException cause) {
    super(directory, "open", cause);
  }
}
