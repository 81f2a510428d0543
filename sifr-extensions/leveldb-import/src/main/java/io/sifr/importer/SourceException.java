package io.sifr.importer;

import java.io.IOException;
import java.nio.file.Path;

/** Thrown when the contents of a source cannot be imported. */
public class SourceException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With a message for the user. */
  public SourceException(String message) {
    super(message);
  }

  /** With a message for the user, and what it comes from. */
  public SourceException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Of a file whose bytes are not what its writer writes. */
  public static SourceException damaged(Path file, long offset, String what) {
    return new SourceException(file + " is damaged at offset " + offset + ": " + what);
  }
}
