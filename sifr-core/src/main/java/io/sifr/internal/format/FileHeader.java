package io.sifr.internal.format;

import io.sifr.error.CorruptionException;
import io.sifr.error.EncryptionKeyException;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The first {@value #BYTES} bytes of every numbered file: its kind, format version, number, and a
 * random id that no other file has. The only code that writes or checks a header.
 *
 * <pre>
 *  0  u32  magic "SIFR"
 *  4  u8   kind
 *  5  u16  number of the key with which the file is encrypted; 0: it is not
 *  7  u8   format version
 *  8  u64  file number
 * 16  u64  unique id
 * 24  u32  by which it is known that a key is the right one; 0 without a key
 * 28  u32  CRC32C of bytes 0-27
 * </pre>
 *
 * @param kind what the file holds
 * @param version format version of that kind
 * @param number number in the file's name
 * @param uniqueId random id, folded into every checksum of the file
 * @param key number of the key that it is encrypted with; 0: it is not
 * @param keyCheck see {@link FileKeys#check}; 0 without a key
 */
public record FileHeader(
    FileKind kind, int version, long number, long uniqueId, int key, int keyCheck) {
  /** Size of a header in bytes. */
  public static final int BYTES = 32;

  /** Largest format version that a header can name. */
  private static final int VERSION_MASK = 0xFF;

  private static final int MAGIC = 0x53494652;
  private static final int UNIQUE_ID_AT = 16;
  private static final int KEY_CHECK_AT = 24;
  private static final int CRC_AT = 28;

  /** The header of a new file without encryption, in the format version this program writes. */
  public static FileHeader of(FileKind kind, long number, long uniqueId) {
    return new FileHeader(kind, kind.formatVersion(), number, uniqueId, 0, 0);
  }

  /**
   * The header of a new file, encrypted with the current key if there is one.
   *
   * @throws FileNotOpenedException when there should be one, and the user's provider has none or
   *     fails: it may be tried again
   * @throws IllegalArgumentException when it is not allowed
   */
  public static FileHeader of(FileKeys keys, FileKind kind, long number, long uniqueId) {
    Path file = Path.of(kind.fileName(number));
    try {
      int key = keys.current();
      int check = key == 0 ? 0 : keys.check(file, key, kind.code(), uniqueId);
      return new FileHeader(kind, kind.formatVersion(), number, uniqueId, key, check);
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new FileNotOpenedException(
          file, "encrypt", new IOException("no key for a new file: " + e.getMessage(), e));
    }
  }

  /**
   * The header of a file whose header is damaged: what it would be if what matters is intact, which
   * the file's other checksums will tell.
   *
   * @param file the file
   * @param buffer the file's first bytes, at position 0
   * @param keys the keys that it may be encrypted with; one counts only if it is the right one
   */
  public static FileHeader ofDamaged(
      Path file, ByteBuffer buffer, FileKind kind, long number, long uniqueId, FileKeys keys) {
    FileHeader header =
        new FileHeader(
            kind, kind.formatVersion(), number, uniqueId, key(buffer), buffer.getInt(KEY_CHECK_AT));
    try {
      var unused = header.cipher(file, keys);
      return header;
    } catch (EncryptionKeyException e) {
      return of(kind, number, uniqueId);
    }
  }

  private static int key(ByteBuffer buffer) {
    return buffer.getShort(5) & 0xFFFF;
  }

  /**
   * What seals and opens the pieces of the file; null if it is not encrypted.
   *
   * @throws io.sifr.error.EncryptionKeyException when its key is not there, or is another one
   */
  public @Nullable FileCipher cipher(Path file, FileKeys keys) {
    return key == 0 ? null : keys.cipher(file, key, keyCheck, kind.code(), uniqueId);
  }

  /** Writes the header at absolute {@code offset}. */
  public void encodeTo(ByteBuffer buffer, int offset) {
    buffer.putInt(offset, MAGIC);
    buffer.putInt(offset + 4, kind.code() << 24 | key << 8 | version);
    buffer.putLong(offset + 8, number);
    buffer.putLong(offset + UNIQUE_ID_AT, uniqueId);
    buffer.putInt(offset + KEY_CHECK_AT, keyCheck);
    buffer.putInt(offset + CRC_AT, Checksums.crc32c(buffer, offset, CRC_AT));
  }

  /**
   * The unique id in a header, whether or not the header is intact. For callers that can verify it
   * by other checksums of the file.
   *
   * @param buffer the file's first bytes, at position 0
   */
  public static long uniqueId(ByteBuffer buffer) {
    return buffer.getLong(UNIQUE_ID_AT);
  }

  /**
   * Reads and checks the header at the start of a file.
   *
   * @param file the file, for messages
   * @param buffer the file's first bytes, at position 0
   * @param kind the kind it must have
   * @param number the number it must have, if files of that kind keep theirs
   * @throws CorruptionException when it is not an intact header of that kind and number
   * @throws UnsupportedFormatException when the format version is newer than this program's
   */
  public static FileHeader decode(Path file, ByteBuffer buffer, FileKind kind, long number) {
    if (buffer.limit() < BYTES) {
      throw new CorruptionException(
          file, 0, "the file has " + buffer.limit() + " bytes, a header alone takes " + BYTES);
    }
    if (buffer.getInt(0) != MAGIC) {
      throw new CorruptionException(
          file, 0, String.format("magic is %08x, expected %08x", buffer.getInt(0), MAGIC));
    }
    int expected = buffer.getInt(CRC_AT);
    int actual = Checksums.crc32c(buffer, 0, CRC_AT);
    if (expected != actual) {
      throw CorruptionException.checksum(file, 0, "file header", expected, actual);
    }
    int kindCode = buffer.get(4) & 0xFF;
    if (kindCode != kind.code()) {
      throw new CorruptionException(
          file, 4, "file kind is " + kindCode + ", expected " + kind.code() + " (" + kind + ")");
    }
    int version = buffer.get(7) & VERSION_MASK;
    if (version > kind.formatVersion() || version == 0) {
      throw new UnsupportedFormatException(
          file, "format version is " + version + ", supported: 1 to " + kind.formatVersion());
    }
    if (kind.keepsItsNumber() && buffer.getLong(8) != number) {
      throw new CorruptionException(
          file, 8, "file number is " + buffer.getLong(8) + ", the name says " + number);
    }
    return new FileHeader(
        kind, version, number, uniqueId(buffer), key(buffer), buffer.getInt(KEY_CHECK_AT));
  }

  /**
   * Reads the header of a file.
   *
   * @throws CorruptionException as {@link #decode}
   * @throws io.sifr.error.StoreIoException when it cannot be read
   */
  public static FileHeader read(StoreFileSystem fileSystem, Path file, FileKind kind, long number) {
    try (RandomReadFile open = fileSystem.openForRead(file)) {
      return read(open, file, kind, number);
    }
  }

  /** As above, of a file that is open. */
  public static FileHeader read(RandomReadFile open, Path file, FileKind kind, long number) {
    ByteBuffer head = ByteBuffer.allocate((int) Math.min(open.size(), BYTES));
    open.readFully(head, 0);
    return decode(file, head.flip(), kind, number);
  }

  /** What a record at that offset of the file with that unique id begins with, and no other. */
  public static long mark(long uniqueId, long offset) {
    return uniqueId + offset;
  }
}
