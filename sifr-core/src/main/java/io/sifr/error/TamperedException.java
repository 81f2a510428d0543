package io.sifr.error;

import java.nio.file.Path;

/**
 * An encrypted piece of a file has a correct checksum, and was not written there by the store: it
 * was changed on purpose, or taken from elsewhere. A fault of a disk gives a {@link
 * CorruptionException} of another kind.
 */
public final class TamperedException extends CorruptionException {
  private static final long serialVersionUID = 1L;

  /**
   * @param file the file
   * @param offset byte offset of the piece within the file
   * @param piece what kind of piece it is ("data block", "log record")
   */
  public TamperedException(Path file, long offset, String piece) {
    this(
        offset,
        "the "
            + piece
            + " has a correct checksum but was not written here with the file's key;"
            + " it was tampered with",
        file);
  }

  private TamperedException(long offset, String what, Path file) {
    super(file, offset, what);
  }

  @Override
  public TamperedException retold(Path named, String said) {
    return new TamperedException(offset(), said, named);
  }
}
