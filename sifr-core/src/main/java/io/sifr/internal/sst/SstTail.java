package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Everything of an SST but its blocks, read and checked.
 *
 * @param header the file's first bytes
 * @param footer the file's last bytes
 * @param properties what the SST tells of itself
 * @param index where the blocks are
 */
record SstTail(FileHeader header, Footer footer, SstProperties properties, FenceIndex index) {

  /** Pages of the smallest file: one of entries, one of all the rest. */
  private static final int MIN_PAGES = 2;

  /**
   * Checks a file's size before anything of it is mapped or read.
   *
   * @throws CorruptionException when no SST has that size
   */
  static void checkSize(Path file, long fileBytes) {
    if (fileBytes < MIN_PAGES * SstFormat.PAGE_BYTES
        || fileBytes > SstFormat.MAX_FILE_BYTES
        || fileBytes % SstFormat.PAGE_BYTES != 0) {
      throw new CorruptionException(
          file, 0, "the file has " + fileBytes + " bytes, no SST has that size");
    }
  }

  /**
   * Reads what is not blocks.
   *
   * @param buffer the whole file, whose size was checked
   * @param number number in the file's name
   * @throws CorruptionException when a piece is damaged or does not fit the others
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote the file
   */
  static SstTail read(Path file, ByteBuffer buffer, long number) {
    FileHeader header = FileHeader.decode(file, buffer, FileKind.SST, number);
    Footer footer = Footer.decode(file, buffer, buffer.limit(), header);
    long id = header.uniqueId();
    ByteBuffer encodedIndex =
        checked(
            file,
            buffer,
            id,
            "index",
            footer.indexOffset(),
            footer.indexLength(),
            footer.indexChecksum());
    ByteBuffer encodedProperties =
        checked(
            file,
            buffer,
            id,
            "properties",
            footer.propertiesOffset(),
            footer.propertiesLength(),
            footer.propertiesChecksum());
    int paddingAt = footer.propertiesOffset() + footer.propertiesLength();
    requireZeros(file, buffer, paddingAt, footer.fileBytes() - Footer.BYTES);
    return new SstTail(
        header,
        footer,
        SstProperties.decode(file, encodedProperties, footer.propertiesOffset()),
        FenceIndex.decode(file, encodedIndex, footer.indexOffset(), footer.blocks()));
  }

  /** What the manifest keeps of this SST. */
  SstMeta toMeta() {
    return properties.toMeta(header.number(), header.uniqueId(), footer.fileBytes());
  }

  private static ByteBuffer checked(
      Path file, ByteBuffer buffer, long id, String piece, int offset, int length, int expected) {
    int actual = Checksums.bind(Checksums.crc32c(buffer, offset, length), id, offset);
    if (expected != actual) {
      throw CorruptionException.checksum(file, offset, piece, expected, actual);
    }
    return buffer.slice(offset, length);
  }

  /** Padding is no place to keep anything, and so none for damage to go unnoticed. */
  static void requireZeros(Path file, ByteBuffer buffer, int from, int to) {
    for (int at = from; at < to; at++) {
      if (buffer.get(at) != 0) {
        throw new CorruptionException(file, at, "padding is not zero");
      }
    }
  }
}
