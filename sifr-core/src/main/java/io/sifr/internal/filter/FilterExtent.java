package io.sifr.internal.filter;

import io.sifr.error.CorruptionException;
import io.sifr.internal.format.Checksums;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The extent of an SST's filter in the filter file: its position, and the fields of its header.
 *
 * <pre>
 *  0  u64  magic "SIFRFLTR"
 *  8  u64  number of the SST
 * 16  u64  unique id of the SST
 * 24  u32  keys
 * 28  u32  bits per key
 * 32  u32  bytes of the filter, a multiple of 64
 * 36  u32  pages of the extent
 * 40  u64  0
 * 48  u64  0
 * 56  u32  checksum of all bytes of the extent after the header
 * 60  u32  checksum of bytes 0-59
 * </pre>
 *
 * @param page first page
 * @param sst number of the SST
 * @param sstId unique id of the SST
 * @param keys distinct user keys of the SST
 * @param bitsPerKey bits per key the filter was built with
 * @param bitsChecksum checksum of all bytes after the header
 */
public record FilterExtent(
    long page, long sst, long sstId, int keys, int bitsPerKey, int bitsChecksum) {
  /** Bytes of a page of the filter file. */
  public static final int PAGE_BYTES = 4096;

  /** Bytes of the header. */
  public static final int HEADER_BYTES = 64;

  private static final long MAGIC = 0x5349465246_4C5452L;
  private static final int BITS_CHECKSUM_AT = 56;
  private static final int CHECKSUM_AT = 60;

  /** Offset of the extent in the file. */
  public long offset() {
    return page * PAGE_BYTES;
  }

  /** Size of the filter in bytes. */
  public int filterBytes() {
    return BloomFilter.bytes(keys, bitsPerKey);
  }

  /** Pages of the extent. */
  public int pages() {
    return pages(filterBytes());
  }

  /** Number of pages a filter of that many bytes takes. */
  static int pages(int filterBytes) {
    return (int) (((long) HEADER_BYTES + filterBytes + PAGE_BYTES - 1) / PAGE_BYTES);
  }

  /**
   * Describes the extent of a filter that is about to be written.
   *
   * @param bytes all pages of the extent, the header not filled in yet
   */
  static FilterExtent of(
      long page, long sst, long sstId, BloomFilter filter, byte[] bytes, long fileId) {
    int checksum = bitsChecksum(ByteBuffer.wrap(bytes), page, fileId);
    return new FilterExtent(page, sst, sstId, filter.keys(), filter.bitsPerKey(), checksum);
  }

  private static int bitsChecksum(ByteBuffer extent, long page, long fileId) {
    return Checksums.bind(
        Checksums.crc32c(extent, HEADER_BYTES, extent.capacity() - HEADER_BYTES),
        fileId,
        page * PAGE_BYTES + HEADER_BYTES);
  }

  /** Encodes the header alone. */
  byte[] header(long fileId) {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    header.putLong(MAGIC).putLong(sst).putLong(sstId);
    header.putInt(keys).putInt(bitsPerKey).putInt(filterBytes()).putInt(pages());
    header.putInt(BITS_CHECKSUM_AT, bitsChecksum);
    header.putInt(CHECKSUM_AT, headerChecksum(header, page, fileId));
    return header.array();
  }

  private static int headerChecksum(ByteBuffer header, long page, long fileId) {
    return Checksums.bind(Checksums.crc32c(header, 0, CHECKSUM_AT), fileId, page * PAGE_BYTES);
  }

  /**
   * Whether a page begins like a header, intact or damaged: one byte of the magic may be wrong.
   * Anything else in the file, which is bits of filters, begins like that by chance once in 2^53
   * pages.
   */
  static boolean isLikely(ByteBuffer page) {
    long wrong = page.getLong(0) ^ MAGIC;
    int wrongBytes = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      wrongBytes += ((wrong >>> (8 * i)) & 0xFF) == 0 ? 0 : 1;
    }
    return wrongBytes <= 1;
  }

  /**
   * Reads and checks the header at the start of a page.
   *
   * @param header the page, or the beginning of it, at position 0
   * @param filePages pages of the file
   * @throws CorruptionException when it is not an intact header
   */
  static FilterExtent decode(Path file, ByteBuffer header, long page, long filePages, long fileId) {
    long offset = page * PAGE_BYTES;
    if (header.getLong(0) != MAGIC) {
      throw new CorruptionException(
          file,
          offset,
          String.format("magic of a filter is %016x, expected %016x", header.getLong(0), MAGIC));
    }
    int expected = header.getInt(CHECKSUM_AT);
    int actual = headerChecksum(header, page, fileId);
    if (expected != actual) {
      throw CorruptionException.checksum(file, offset, "filter's header", expected, actual);
    }
    int keys = header.getInt(24);
    int bitsPerKey = header.getInt(28);
    if (keys <= 0
        || keys > BloomFilter.MAX_KEYS
        || bitsPerKey <= 0
        || bitsPerKey > BloomFilter.MAX_BITS_PER_KEY) {
      throw new CorruptionException(
          file, offset, "a filter of " + keys + " keys with " + bitsPerKey + " bits a key");
    }
    FilterExtent extent =
        new FilterExtent(
            page,
            header.getLong(8),
            header.getLong(16),
            keys,
            bitsPerKey,
            header.getInt(BITS_CHECKSUM_AT));
    if (header.getInt(32) != extent.filterBytes()
        || header.getInt(36) != extent.pages()
        || extent.pages() > filePages - page) {
      throw new CorruptionException(
          file,
          offset,
          String.format(
              "a filter of %d bytes in %d pages, where %d pages are left",
              header.getInt(32), header.getInt(36), filePages - page));
    }
    return extent;
  }

  /**
   * Decodes the filter of the extent.
   *
   * @param extent all its pages, header included
   * @throws CorruptionException when the checksum is wrong
   */
  BloomFilter filter(Path file, ByteBuffer extent, long fileId) {
    int actual = bitsChecksum(extent, page, fileId);
    if (bitsChecksum != actual) {
      throw CorruptionException.checksum(
          file, offset() + HEADER_BYTES, "filter of SST " + sst, bitsChecksum, actual);
    }
    return BloomFilter.decode(bitsPerKey, keys, extent.slice(HEADER_BYTES, filterBytes()));
  }
}
