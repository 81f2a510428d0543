package io.sifr.internal.io;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;

/** Translates the exceptions of the platform into those of the store. */
final class IoErrors {
  private IoErrors() {}

  /**
   * Returns the exception to throw.
   *
   * @param operation what failed, as a verb
   */
  static StoreIoException translate(Path file, String operation, IOException cause) {
    return exception(file, operation, cause, FullDisk.OF_THIS_PLATFORM.isSaidBy(cause));
  }

  /** The same for an operation that needs space and may be repeated, which excludes a sync. */
  static StoreIoException translateWrite(Path file, String operation, IOException cause) {
    FullDisk signs = FullDisk.OF_THIS_PLATFORM;
    return exception(file, operation, cause, signs.isSaidBy(cause) || signs.isFound(file));
  }

  private static StoreIoException exception(
      Path file, String operation, IOException cause, boolean isFull) {
    return isFull
        ? new StoreFullException(file, operation, cause)
        : new StoreIoException(file, operation, cause);
  }
}
