package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Everything of an SST that follows its data blocks, read and checked.
 *
 * @param decoder checks the file's blocks
 * @param number number in the file's name
 * @param baseSequence base that is added to the sequence numbers in the file
 * @param footer the file's last bytes
 * @param properties the SST's properties
 * @param index the index of the blocks
 */
record SstTail(
    BlockDecoder decoder,
    long number,
    long baseSequence,
    Footer footer,
    SstProperties properties,
    FenceIndex index) {

  /** Pages of the smallest file: one of entries, one of everything else. */
  private static final int MIN_PAGES = 2;

  /** Enough for index and properties of an SST of usual size with entries of usual size. */
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
          file, 0, "the file has " + fileBytes + " bytes, which is not the size of an SST");
    }
  }

  /** Reads ranges of a file into memory. */
  interface Source {
    /** The bytes from {@code from} to {@code to}, which are offsets of whole pages. */
    ByteBuffer read(long from, long to);
  }

  /**
   * Reads what follows the blocks in whole pages, as direct reads require.
   *
   * @param size size of the file, which was checked
   * @param codecs the codecs that blocks may be encoded with
   * @param number number in the file's name
   * @param baseSequence base that is added to the sequence numbers in the file
   * @throws CorruptionException when a part is damaged or does not match the others
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote the file
   */
  static SstTail read(
      Path file, long size, Source source, BlockCodecs codecs, long number, long baseSequence) {
    long from = Math.max(0, size - FIRST_READ_BYTES);
    ByteBuffer end = source.read(from, size);
    Footer footer = Footer.decode(file, end, size);
    if (footer.blocksEnd() < from) {
      from = footer.blocksEnd();
      end = source.read(from, size);
    }
    BlockDecoder decoder = new BlockDecoder(file, footer.uniqueId(), codecs);
    TailBlocks blocks = new TailBlocks(decoder, end, (int) from);
    FenceIndex index = FenceIndex.read(footer, baseSequence, blocks);
    ByteBuffer properties =
        blocks.get("properties", footer.propertiesOffset(), footer.propertiesBytes());
    int paddingEnd = footer.fileBytes() - Footer.BYTES;
    decoder.requireZeros(end, footer.propertiesEnd() - (int) from, paddingEnd - (int) from, from);
    return new SstTail(
        decoder,
        number,
        baseSequence,
        footer,
        SstProperties.decode(file, properties, footer.propertiesOffset()),
        index);
  }

  /**
   * Checks the file's header, which contains nothing that the footer does not.
   *
   * @param first the file's first page
   */
  void checkHeader(ByteBuffer first) {
    Path file = file();
    FileHeader header = FileHeader.decode(file, first, FileKind.SST, number);
    if (header.uniqueId() != footer.uniqueId()) {
      throw new CorruptionException(
          file,
          0,
          "unique id is %016x, the footer says %016x"
              .formatted(header.uniqueId(), footer.uniqueId()));
    }
  }

  /** Reads pages by position. */
  static Source source(RandomReadFile file, ReadMeter meter) {
    return (from, to) -> pages(file, meter, from, to);
  }

  private static ByteBuffer pages(RandomReadFile source, ReadMeter meter, long from, long to) {
    MemoryBlock pages = MemoryBlock.allocate((int) (to - from));
    try {
      meter.read(source, pages.buffer(), from);
      byte[] copy = new byte[(int) (to - from)];
      pages.buffer().get(0, copy);
      return ByteBuffer.wrap(copy);
    } finally {
      pages.release();
    }
  }

  /** The file, for messages. */
  Path file() {
    return decoder.file();
  }

  /** The metadata of this SST for the manifest. */
  SstMeta toMeta() {
    return properties.toMeta(number, footer.uniqueId(), footer.fileBytes(), baseSequence);
  }
}
