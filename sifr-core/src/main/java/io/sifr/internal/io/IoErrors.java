package io.sifr.internal.io;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Turns what the platform reports into what the store throws. The only place that knows how a full
 * disk announces itself: Java has no exception of its own for it, so the message of the operating
 * system decides.
 */
final class IoErrors {
  private static final String[] NO_SPACE = {
    "No space left on device", // ENOSPC
    "Disk quota exceeded", // EDQUOT
    "not enough space on the disk", // ERROR_DISK_FULL on Windows
  };

  private IoErrors() {}

  /**
   * The exception to throw.
   *
   * @param operation what was tried, as a verb
   */
  static StoreIoException translate(Path file, String operation, IOException cause) {
    return isNoSpace(cause)
        ? new StoreFullException(file, operation, cause)
        : new StoreIoException(file, operation, cause);
  }

  private static boolean isNoSpace(IOException cause) {
    String message = cause.getMessage();
    if (message == null) {
      return false;
    }
    for (String part : NO_SPACE) {
      if (message.contains(part)) {
        return true;
      }
    }
    return false;
  }
}
