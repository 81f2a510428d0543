package io.sifr.error;

import java.nio.file.Path;

/**
 * A file of the store is encrypted with a key that is not there, or is another one than that of its
 * number. Nothing is wrong with the file: with the right key, see {@link
 * io.sifr.spi.EncryptionKeys}, it can be read.
 */
public final class EncryptionKeyException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final transient Path file;
  private final int number;
  private final boolean isWrong;

  /**
   * @param file the file
   * @param number number of the key, 1 or larger
   * @param isWrong whether there is a key of that number, which is another one
   */
  public EncryptionKeyException(Path file, int number, boolean isWrong) {
    super(
        file
            + " is encrypted with key "
            + number
            + (isWrong
                ? ", and the key that was given under this number is another one"
                : ", which was not given"));
    this.file = file;
    this.number = number;
    this.isWrong = isWrong;
  }

  /** The file that cannot be read. */
  public Path file() {
    return file;
  }

  /** Number of the key that is needed. */
  public int number() {
    return number;
  }

  /** Whether another key was given under that number; false if none was. */
  public boolean isWrong() {
    return isWrong;
  }
}
