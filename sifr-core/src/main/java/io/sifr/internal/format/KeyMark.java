package io.sifr.internal.format;

import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.crypt.FileKeys;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a file says of the key that it is encrypted with.
 *
 * @param number number of the key; 0: the file is not encrypted
 * @param check see {@link FileKeys#check}; 0 without a key
 */
public record KeyMark(int number, int check) {
  /** Of a file that is not encrypted. */
  public static final KeyMark NONE = new KeyMark(0, 0);

  /**
   * That of a file that is begun now.
   *
   * @throws io.sifr.error.EncryptionKeyException when the current key is not there
   */
  static KeyMark current(FileKeys keys, Path file, FileKind kind, long uniqueId) {
    int number = keys.current();
    return number == 0
        ? NONE
        : new KeyMark(number, keys.check(file, number, kind.code(), uniqueId));
  }

  /**
   * What seals and opens the pieces of a file; null if it is not encrypted.
   *
   * @throws io.sifr.error.EncryptionKeyException when its key is not there, or is another one
   */
  public @Nullable FileCipher cipher(FileKeys keys, Path file, FileKind kind, long uniqueId) {
    return number == 0 ? null : keys.cipher(file, number, check, kind.code(), uniqueId);
  }
}
