package io.sifr.error;

import java.nio.file.Path;

/**
 * A file of the store does not hold what the store wrote: a checksum, a length, an order or a
 * reference is wrong. Other files, and other blocks of the same file, stay readable.
 */
public class CorruptionException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final transient Path file;
  private final long offset;
  private final String what;

  /**
   * @param file the damaged file
   * @param offset byte offset of the damaged piece within the file
   * @param what which piece is damaged, with expected and actual values if there are any
   */
  public CorruptionException(Path file, long offset, String what) {
    super(file + " is damaged at offset " + offset + ": " + what);
    this.file = file;
    this.offset = offset;
    this.what = what;
  }

  /**
   * A checksum that does not match.
   *
   * @param file the damaged file
   * @param offset byte offset of the piece the checksum covers
   * @param piece what kind of piece it is ("data block", "log record")
   * @param expected the checksum stored in the file
   * @param actual the checksum of the actual bytes
   */
  public static CorruptionException checksum(
      Path file, long offset, String piece, int expected, int actual) {
    return new CorruptionException(
        file,
        offset,
        String.format("checksum of %s is %08x, the file says %08x", piece, actual, expected));
  }

  /**
   * The same finding, of the same class, told in another way.
   *
   * @param named the file, as the reader of the message knows it
   * @param said which piece is damaged and how
   */
  public CorruptionException retold(Path named, String said) {
    return new CorruptionException(named, offset, said);
  }

  /** The damaged file. */
  public Path file() {
    return file;
  }

  /** Byte offset of the damaged piece within the file. */
  public long offset() {
    return offset;
  }

  /** Which piece is damaged and how: the message without file and offset. */
  public String what() {
    return what;
  }
}
