package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The last {@value #BYTES} bytes of an SST: where index and properties are.
 *
 * <pre>
 *  0  u64  offset of the index, which is where the blocks end
 *  8  u32  length of the index
 * 12  u32  CRC32C of the index, bound to the file and to its offset
 * 16  u64  offset of the properties, which is where the index ends
 * 24  u32  length of the properties
 * 28  u32  CRC32C of the properties, bound to the file and to their offset
 * 32  u32  number of blocks
 * 36  u32  0
 * 40  u64  size of the file
 * 48  u64  file number
 * 56  u64  unique id
 * 64  u16  format version
 * 66  u16  0
 * 68  u32  magic "SSTF"
 * 72  u32  CRC32C of bytes 0-71, bound to the file and to the footer's offset
 * </pre>
 *
 * @param indexOffset where the index begins
 * @param indexLength bytes of the index
 * @param indexChecksum checksum of the index
 * @param propertiesLength bytes of the properties, which follow the index
 * @param propertiesChecksum checksum of the properties
 * @param blocks number of data blocks
 * @param fileBytes size of the file
 */
record Footer(
    int indexOffset,
    int indexLength,
    int indexChecksum,
    int propertiesLength,
    int propertiesChecksum,
    int blocks,
    int fileBytes) {
  static final int BYTES = 76;

  private static final int MAGIC = 0x53535446;
  private static final int CRC_AT = 72;

  int propertiesOffset() {
    return indexOffset + indexLength;
  }

  /** Writes the footer at absolute {@code at} of a buffer. */
  void encodeTo(ByteBuffer buffer, int at, FileHeader header) {
    buffer.putLong(at, indexOffset);
    buffer.putInt(at + 8, indexLength);
    buffer.putInt(at + 12, indexChecksum);
    buffer.putLong(at + 16, propertiesOffset());
    buffer.putInt(at + 24, propertiesLength);
    buffer.putInt(at + 28, propertiesChecksum);
    buffer.putInt(at + 32, blocks);
    buffer.putInt(at + 36, 0);
    buffer.putLong(at + 40, fileBytes);
    buffer.putLong(at + 48, header.number());
    buffer.putLong(at + 56, header.uniqueId());
    buffer.putShort(at + 64, (short) header.version());
    buffer.putShort(at + 66, (short) 0);
    buffer.putInt(at + 68, MAGIC);
    buffer.putInt(at + CRC_AT, checksum(buffer, at, header.uniqueId(), fileBytes));
  }

  /**
   * Reads and checks the footer of a file.
   *
   * @param tail bytes of the file up to its end, at least the footer
   * @param fileBytes size of the file
   * @param header the file's header, with which the footer has to agree
   * @throws CorruptionException when it is not a footer of that file
   */
  static Footer decode(Path file, ByteBuffer tail, long fileBytes, FileHeader header) {
    int at = tail.limit() - BYTES;
    long fileAt = fileBytes - BYTES;
    if (tail.getInt(at + 68) != MAGIC) {
      throw new CorruptionException(
          file,
          fileAt + 68,
          String.format("magic of footer is %08x, expected %08x", tail.getInt(at + 68), MAGIC));
    }
    int expected = tail.getInt(at + CRC_AT);
    int actual = checksum(tail, at, header.uniqueId(), fileBytes);
    if (expected != actual) {
      throw CorruptionException.checksum(file, fileAt, "footer", expected, actual);
    }
    require(file, fileAt + 40, "size of the file", tail.getLong(at + 40), fileBytes);
    require(file, fileAt + 48, "file number", tail.getLong(at + 48), header.number());
    require(file, fileAt + 56, "unique id", uniqueId(tail), header.uniqueId());
    require(file, fileAt + 64, "format version", tail.getShort(at + 64) & 0xFFFF, header.version());

    long indexOffset = tail.getLong(at);
    long indexLength = tail.getInt(at + 8) & 0xFFFFFFFFL;
    long propertiesLength = tail.getInt(at + 24) & 0xFFFFFFFFL;
    long blocks = tail.getInt(at + 32) & 0xFFFFFFFFL;
    require(
        file,
        fileAt + 16,
        "offset of properties",
        tail.getLong(at + 16),
        indexOffset + indexLength);
    if (indexOffset < 0
        || indexOffset % SstFormat.PAGE_BYTES != 0
        || indexOffset > fileAt
        || blocks < 1
        || blocks > indexOffset / SstFormat.PAGE_BYTES
        || indexLength + propertiesLength > fileAt - indexOffset
        || fileAt - indexOffset - indexLength - propertiesLength >= SstFormat.PAGE_BYTES) {
      throw new CorruptionException(
          file,
          fileAt,
          "footer tells of %d blocks, %d bytes of index at %d and %d bytes of properties"
              .formatted(blocks, indexLength, indexOffset, propertiesLength));
    }
    return new Footer(
        (int) indexOffset,
        (int) indexLength,
        tail.getInt(at + 12),
        (int) propertiesLength,
        tail.getInt(at + 28),
        (int) blocks,
        (int) fileBytes);
  }

  /** The unique id that stands in a footer, be it whole or not. */
  static long uniqueId(ByteBuffer tail) {
    return tail.getLong(tail.limit() - BYTES + 56);
  }

  private static int checksum(ByteBuffer buffer, int at, long uniqueId, long fileBytes) {
    return Checksums.bind(Checksums.crc32c(buffer, at, CRC_AT), uniqueId, fileBytes - BYTES);
  }

  private static void require(Path file, long offset, String what, long actual, long expected) {
    if (actual != expected) {
      throw new CorruptionException(
          file, offset, what + " is " + actual + ", expected " + expected);
    }
  }
}
