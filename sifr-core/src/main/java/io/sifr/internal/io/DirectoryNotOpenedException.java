package io.sifr.internal.io;

import io.sifr.error.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A directory that was to be synced could not be opened, because no file descriptor was available
 * or permission was missing. No sync was attempted and nothing is lost, so the caller may try
 * again. After a failed sync it may not, because the next sync would report success for names that
 * are lost.
 */
public final class DirectoryNotOpenedException extends StoreIoException {
  private static final long serialVersionUID = 1L;

  /**
   * @param directory the directory
   * @param cause the exception of the platform
   */
  public DirectoryNotOpenedException(Path directory, IOException cause) {
    super(directory, "open", cause);
  }
}
