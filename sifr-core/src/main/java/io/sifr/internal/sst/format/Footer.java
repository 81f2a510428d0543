package io.sifr.internal.sst.format;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileKind;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The last {@value #BYTES} bytes of an SST: its identity, and where filter, index and properties
 * are. The footer is all that is needed to open the file.
 *
 * <pre>
 *  0  u64  where the data blocks end and the filter begins
 *  8  u64  offset of the index's top, which is where its parts end
 * 16  u32  bytes of the top, stored
 * 20  u32  bytes of the properties, stored; they follow the top
 * 24  u32  number of data blocks
 * 28  u32  number of the filter's blocks; 0 for no filter
 * 32  u64  size of the file
 * 40  u64  unique id
 * 48  u16  format version
 * 50  u16  bits per key of the filter
 * 52  u32  magic "SSTF"; "SSTE" if the file is encrypted
 * 56  u32  CRC32C of bytes 0-55, bound to the file and to the footer's offset
 * </pre>
 *
 * <p>Of an encrypted file, {@value #KEY_BYTES} bytes precede it:
 *
 * <pre>
 *  0  u32  number of the key
 *  4  u32  by which it is known that a key is the right one, as in the header
 *  8       what proves that the footer was written with the key: a piece without content, sealed
 *          with bytes 0-55 of the footer as its context
 * </pre>
 *
 * The checksum covers these, too.
 *
 * @param blocksEnd where the data blocks end
 * @param top where the index's top is
 * @param propertiesBytes bytes of the properties
 * @param blocks number of data blocks
 * @param filter size and form of the filter; null for none
 * @param fileBytes size of the file
 * @param encoder completes the file's blocks: its unique id, and how it is encrypted
 */
public record Footer(
    int blocksEnd,
    Top top,
    int propertiesBytes,
    int blocks,
    @Nullable FilterShape filter,
    int fileBytes,
    StoredBlock.Encoder encoder) {
  public static final int BYTES = 60;

  /** Bytes before the footer of an encrypted file that belong to it. */
  private static final int KEY_BYTES = 2 * Integer.BYTES + FileCipher.OVERHEAD;

  /** Bytes at the end of a file that contain the footer, and what precedes it, in any case. */
  public static final int MOST_BYTES = BYTES + KEY_BYTES;

  private static final int MAGIC = 0x53535446;
  private static final int MAGIC_ENCRYPTED = 0x53535445;
  private static final int CRC_AT = 56;

  /** Bytes of the footer of a file, with what precedes it if the file is encrypted. */
  public static int bytes(@Nullable FileCipher cipher) {
    return cipher == null ? BYTES : BYTES + KEY_BYTES;
  }

  /** The top of the index: where it begins, and the bytes it takes there. */
  public record Top(int offset, int bytes) {}

  /** The file's unique id. */
  public long uniqueId() {
    return encoder.uniqueId();
  }

  /** Seals and opens the file's pieces; null if it is not encrypted. */
  public @Nullable FileCipher cipher() {
    return encoder.cipher();
  }

  /** Number of the key with which the file is encrypted; 0: it is not. */
  public int key() {
    FileCipher cipher = cipher();
    return cipher == null ? 0 : cipher.number();
  }

  /** Where the index's top begins. */
  public int topOffset() {
    return top.offset;
  }

  /** Bytes of the index's top. */
  public int topBytes() {
    return top.bytes;
  }

  /** Where the parts of the index begin, which is where the filter ends. */
  public int partsOffset() {
    return blocksEnd + filterPages() * SstFormat.PAGE_BYTES;
  }

  /** Number of pages of the filter. */
  public int filterPages() {
    return filter == null ? 0 : FilterPage.count(filter);
  }

  public int propertiesOffset() {
    return top.offset + top.bytes;
  }

  /** Where the properties end. */
  public int propertiesEnd() {
    return propertiesOffset() + propertiesBytes;
  }

  /**
   * Writes the footer at absolute {@code at} of a buffer, and before it what belongs to it.
   *
   * @param buffer with an array
   */
  public void encodeTo(ByteBuffer buffer, int at) {
    FileCipher cipher = cipher();
    buffer.putLong(at, blocksEnd);
    buffer.putLong(at + 8, top.offset);
    buffer.putInt(at + 16, top.bytes);
    buffer.putInt(at + 20, propertiesBytes);
    buffer.putInt(at + 24, blocks);
    buffer.putInt(at + 28, filter == null ? 0 : filter.blocks());
    buffer.putLong(at + 32, fileBytes);
    buffer.putLong(at + 40, uniqueId());
    buffer.putShort(at + 48, (short) FileKind.SST.formatVersion());
    buffer.putShort(at + 50, (short) (filter == null ? 0 : filter.bitsPerKey()));
    buffer.putInt(at + 52, cipher == null ? MAGIC : MAGIC_ENCRYPTED);
    if (cipher != null) {
      int keyAt = at - KEY_BYTES;
      buffer.putInt(keyAt, cipher.number()).putInt(keyAt + Integer.BYTES, cipher.check());
      int proofAt = buffer.arrayOffset() + keyAt + 2 * Integer.BYTES;
      cipher.seal(context(buffer, at), buffer.array(), proofAt, 0);
    }
    buffer.putInt(at + CRC_AT, checksum(buffer, at, uniqueId(), fileBytes));
  }

  private static byte[] context(ByteBuffer buffer, int at) {
    byte[] context = new byte[CRC_AT];
    buffer.get(at, context);
    return context;
  }

  private static @Nullable FileCipher cipher(
      Path file, ByteBuffer tail, int at, long uniqueId, FileKeys keys) {
    if (tail.getInt(at + 52) != MAGIC_ENCRYPTED) {
      return null;
    }
    int number = tail.getInt(at - KEY_BYTES);
    int check = tail.getInt(at - KEY_BYTES + Integer.BYTES);
    return keys.cipher(file, number, check, FileKind.SST.code(), uniqueId);
  }

  /**
   * Reads and checks the footer of a file.
   *
   * @param tail the end of the file, at least {@link #MOST_BYTES} of it
   * @param fileBytes size of the file
   * @throws CorruptionException when it is not the footer of a file of that size
   * @throws UnsupportedFormatException when the format version is newer than this program's
   * @throws io.sifr.error.EncryptionKeyException when the file's key is not there, or is another
   */
  public static Footer decode(Path file, ByteBuffer tail, long fileBytes, FileKeys keys) {
    int at = tail.limit() - BYTES;
    long fileAt = fileBytes - BYTES;
    if (tail.getInt(at + 52) != MAGIC && tail.getInt(at + 52) != MAGIC_ENCRYPTED) {
      throw new CorruptionException(
          file,
          fileAt + 52,
          String.format("magic of footer is %08x, expected %08x", tail.getInt(at + 52), MAGIC));
    }
    int expected = tail.getInt(at + CRC_AT);
    long uniqueId = uniqueId(tail);
    int actual = checksum(tail, at, uniqueId, fileBytes);
    if (expected != actual) {
      throw CorruptionException.checksum(file, fileAt, "footer", expected, actual);
    }
    int version = tail.getShort(at + 48) & 0xFFFF;
    if (version > FileKind.SST.formatVersion() || version == 0) {
      throw new UnsupportedFormatException(
          file,
          "format version is " + version + ", supported: 1 to " + FileKind.SST.formatVersion());
    }
    if (tail.getLong(at + 32) != fileBytes) {
      throw new CorruptionException(
          file,
          fileAt + 32,
          "size of the file is " + tail.getLong(at + 32) + ", expected " + fileBytes);
    }
    FileCipher cipher = cipher(file, tail, at, uniqueId, keys);
    if (cipher != null) {
      ByteBuffer proof = tail.slice(at - FileCipher.OVERHEAD, FileCipher.OVERHEAD);
      cipher.open("footer", fileAt, context(tail, at), proof, ByteBuffer.allocate(0));
    }
    long end = fileBytes - bytes(cipher);
    long blocksEnd = tail.getLong(at);
    long topOffset = tail.getLong(at + 8);
    long topBytes = tail.getInt(at + 16) & 0xFFFFFFFFL;
    long propertiesBytes = tail.getInt(at + 20) & 0xFFFFFFFFL;
    long blocks = tail.getInt(at + 24) & 0xFFFFFFFFL;
    FilterShape filter = filter(file, fileAt, tail.getInt(at + 28), tail.getShort(at + 50));
    long partsOffset =
        blocksEnd + (filter == null ? 0L : FilterPage.count(filter)) * SstFormat.PAGE_BYTES;
    if (blocksEnd < 0
        || blocksEnd % SstFormat.PAGE_BYTES != 0
        || blocks < 1
        || blocks > blocksEnd / SstFormat.PAGE_BYTES
        || topOffset < partsOffset
        || topOffset > end
        || topBytes < StoredBlock.BYTES
        || propertiesBytes < StoredBlock.BYTES
        || topBytes + propertiesBytes > end - topOffset
        || end - topOffset - topBytes - propertiesBytes >= SstFormat.PAGE_BYTES) {
      throw new CorruptionException(
          file,
          fileAt,
          "footer describes %d blocks up to %d, parts of the index from %d, %d bytes of its top at %d, %d of properties"
              .formatted(blocks, blocksEnd, partsOffset, topBytes, topOffset, propertiesBytes));
    }
    return new Footer(
        (int) blocksEnd,
        new Top((int) topOffset, (int) topBytes),
        (int) propertiesBytes,
        (int) blocks,
        filter,
        (int) fileBytes,
        new StoredBlock.Encoder(uniqueId, cipher));
  }

  /** Where what belongs to the footer begins. */
  public int paddingEnd() {
    return fileBytes - bytes(cipher());
  }

  private static @Nullable FilterShape filter(Path file, long fileAt, int blocks, int bitsPerKey) {
    if (blocks == 0 && bitsPerKey == 0) {
      return null;
    }
    if (!FilterShape.isAllowed(blocks, bitsPerKey)) {
      throw new CorruptionException(
          file,
          fileAt,
          "footer describes a filter of %d blocks with %d bits a key"
              .formatted(blocks, bitsPerKey));
    }
    return new FilterShape(blocks, bitsPerKey);
  }

  /** The unique id in a footer, which may be damaged. */
  static long uniqueId(ByteBuffer tail) {
    return tail.getLong(tail.limit() - BYTES + 40);
  }

  private static int checksum(ByteBuffer buffer, int at, long uniqueId, long fileBytes) {
    int from = buffer.getInt(at + 52) == MAGIC_ENCRYPTED ? at - KEY_BYTES : at;
    int crc = Checksums.crc32c(buffer, from, at + CRC_AT - from);
    return Checksums.bind(crc, uniqueId, fileBytes - BYTES);
  }
}
