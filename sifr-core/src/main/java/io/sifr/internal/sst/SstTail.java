package io.sifr.internal.sst;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.error.CorruptionException;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
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

  /** Enough for index and properties of an SST of usual size and its usual entries. */
  private static final int FIRST_READ_BYTES = 8 * SstFormat.PAGE_BYTES;

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

  /** How bytes of a file come into memory. */
  interface Source {
    /** The bytes from {@code from} to {@code to}, which are offsets of whole pages. */
    ByteBuffer read(long from, long to);
  }

  /**
   * Reads what is not blocks, page by page, as a direct read needs it.
   *
   * @param size bytes of the file, which were checked
   * @param number number in the file's name
   * @throws CorruptionException when a piece is damaged or does not fit the others
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote the file
   */
  @CanIgnoreReturnValue
  static SstTail read(Path file, long size, Source source, long number) {
    ByteBuffer first = source.read(0, SstFormat.PAGE_BYTES);
    FileHeader header = FileHeader.decode(file, first, FileKind.SST, number);
    long from = Math.max(0, size - FIRST_READ_BYTES);
    ByteBuffer end = source.read(from, size);
    Footer footer = Footer.decode(file, end, size, header);
    if (footer.indexOffset() < from) {
      from = footer.indexOffset();
      end = source.read(from, size);
    }
    return read(file, header, footer, end, (int) from);
  }

  /** Reads pages by position. */
  static ByteBuffer pages(RandomReadFile source, ReadMeter meter, long from, long to) {
    MemoryBlock pages = BlockMemory.allocate((int) (to - from));
    try {
      meter.read(source, pages.buffer(), from);
      byte[] copy = new byte[(int) (to - from)];
      pages.buffer().get(0, copy);
      return ByteBuffer.wrap(copy);
    } finally {
      pages.release();
    }
  }

  /**
   * @param end bytes of the file up to its end
   * @param from where in the file they begin
   */
  private static SstTail read(
      Path file, FileHeader header, Footer footer, ByteBuffer end, int from) {
    long id = header.uniqueId();
    ByteBuffer encodedIndex =
        checked(
            file,
            end,
            from,
            id,
            "index",
            footer.indexOffset(),
            footer.indexLength(),
            footer.indexChecksum());
    ByteBuffer encodedProperties =
        checked(
            file,
            end,
            from,
            id,
            "properties",
            footer.propertiesOffset(),
            footer.propertiesLength(),
            footer.propertiesChecksum());
    int paddingAt = footer.propertiesOffset() + footer.propertiesLength() - from;
    requireZeros(file, end, paddingAt, footer.fileBytes() - Footer.BYTES - from, from);
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
      Path file,
      ByteBuffer end,
      int from,
      long id,
      String piece,
      int offset,
      int length,
      int expected) {
    int actual = Checksums.bind(Checksums.crc32c(end, offset - from, length), id, offset);
    if (expected != actual) {
      throw CorruptionException.checksum(file, offset, piece, expected, actual);
    }
    return end.slice(offset - from, length);
  }

  /**
   * Padding is no place to keep anything, and so none for damage to go unnoticed.
   *
   * @param from where in the buffer it begins
   * @param to where in the buffer it ends
   * @param bufferOffset where in the file the buffer begins
   */
  static void requireZeros(Path file, ByteBuffer buffer, int from, int to, int bufferOffset) {
    for (int at = from; at < to; at++) {
      if (buffer.get(at) != 0) {
        throw new CorruptionException(file, at + bufferOffset, "padding is not zero");
      }
    }
  }
}
