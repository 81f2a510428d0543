package io.sifr.error;

import java.nio.file.Path;

/**
 * The platform could not deliver bytes of a file of the store: a bad sector, a lost mount, a file
 * that another program truncated. What the file holds there is unknown, and may be intact: once the
 * cause is gone, the same read can succeed. Other files, and other parts of the same file, stay
 * readable. Compare {@link CorruptionException}: there the bytes were read and are wrong.
 */
public final class UnreadableException extends StoreIoException {
  private static final long serialVersionUID = 1L;

  private final long offset;

  /**
   * @param file the file that was read
   * @param offset byte offset within the file of the piece that was read, which contains the
   *     unreadable part
   * @param cause what the platform reported: an {@link java.io.IOException}, or the {@link
   *     InternalError} by which the JVM reports a page of a mapping that cannot be delivered
   */
  public UnreadableException(Path file, long offset, Throwable cause) {
    super(file, "read", "cannot read " + file + " at offset " + offset + ": " + cause, cause);
    this.offset = offset;
  }

  /** Byte offset within the file of the piece that could not be read. */
  public long offset() {
    return offset;
  }
}
