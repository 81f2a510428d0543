package io.sifr.error;

import java.nio.file.Path;

/**
 * The store accepts no more writes, because writing or syncing its log, its manifest or its
 * directory failed and the state of the disk is unknown since then. The first failure is the cause.
 * Reads go on; close the store and open it again to write. After a failure of a {@linkplain
 * io.sifr.config.StoreOptions.Builder#fastDirectory fast directory} writes wait instead; if they
 * throw this, since the store's own directory cannot be written either, they may be tried again.
 */
public final class StoreFailedException extends SifrException {
  private static final long serialVersionUID = 1L;

  /**
   * @param directory the store's directory
   * @param cause the first failure
   */
  public StoreFailedException(Path directory, Throwable cause) {
    super(directory + " takes no writes until it is reopened, because: " + reason(cause), cause);
  }

  /**
   * Messages of the store's own exceptions are complete; others may have none, but a cause that has
   * one.
   */
  private static String reason(Throwable cause) {
    if (cause instanceof SifrException) {
      return String.valueOf(cause.getMessage());
    }
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root == cause ? cause.toString() : cause + ", caused by " + root;
  }
}
