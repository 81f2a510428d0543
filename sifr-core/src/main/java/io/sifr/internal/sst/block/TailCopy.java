package io.sifr.internal.sst.block;

import io.sifr.error.CorruptionException;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.SstFormat;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A copy of the end of an SST, everything that follows its data blocks, in a file of the store's
 * directory, see {@link FileKind#TAIL}:
 *
 * <pre>
 * 0              header      as in every numbered file, with the number and unique id of the SST
 * 32             u64         size of the SST
 * 40             u64         where in the SST the copy begins: a multiple of 4096
 * 48             u32         CRC32C of bytes 32-47, bound to the unique id and offset 32
 * 52             zeros       up to 4096
 * 4096           pages       of the SST, as they are
 * 4096 + pages   u32 each    CRC32C of each page, bound to the unique id and its offset in the SST
 *                u32         CRC32C of those, bound to the unique id and the offset of the first
 *                zeros       up to a multiple of 4096
 * </pre>
 *
 * <p>It is never trusted: each page that is read is checked. Thread-safe.
 */
final class TailCopy implements AutoCloseable {
  private static final int PAGE_BYTES = SstFormat.PAGE_BYTES;
  private static final int SIZE_AT = FileHeader.BYTES;
  private static final int FROM_AT = SIZE_AT + Long.BYTES;
  private static final int CRC_AT = FROM_AT + Long.BYTES;

  /** Pages that are copied at once. */
  private static final int PAGES_AT_ONCE = 64;

  private final Path path;
  private final RandomReadFile file;
  private final long uniqueId;
  private final long from;
  private final long end;

  /** The checksums of the pages. */
  private final ByteBuffer sums;

  private TailCopy(
      Path path, RandomReadFile file, long uniqueId, long from, long end, ByteBuffer sums) {
    this.path = path;
    this.file = file;
    this.uniqueId = uniqueId;
    this.from = from;
    this.end = end;
    this.sums = sums;
  }

  /**
   * Opens a copy, which takes over its file if this returns.
   *
   * @param number of the SST
   * @param bytes size of the SST
   * @throws CorruptionException when it is not a whole copy of an SST of that number and size
   */
  static TailCopy open(Path path, RandomReadFile file, long number, long bytes) {
    if (file.size() < 2 * PAGE_BYTES) {
      throw new CorruptionException(path, 0, "the file has " + file.size() + " bytes");
    }
    ByteBuffer head = read(file, 0, PAGE_BYTES);
    long uniqueId = FileHeader.decode(path, head, FileKind.TAIL, number).uniqueId();
    require(path, head, SIZE_AT, CRC_AT, uniqueId, SIZE_AT);
    long size = head.getLong(SIZE_AT);
    long from = head.getLong(FROM_AT);
    if (size != bytes
        || from < PAGE_BYTES
        || from >= size
        || from % PAGE_BYTES != 0
        || file.size() != bytes(size - from)) {
      throw new CorruptionException(path, SIZE_AT, "it is not of this SST, or has another size");
    }
    long sumsAt = PAGE_BYTES + size - from;
    ByteBuffer sums = read(file, sumsAt, (int) (file.size() - sumsAt));
    int pages = (int) ((size - from) / PAGE_BYTES);
    require(path, sums, 0, pages * Integer.BYTES, uniqueId, sumsAt);
    return new TailCopy(path, file, uniqueId, from, size, sums);
  }

  /** Bytes of a file with so many bytes of pages. */
  private static long bytes(long pages) {
    long sums = (pages / PAGE_BYTES + 1) * Integer.BYTES;
    return PAGE_BYTES + pages + (sums + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  }

  private static ByteBuffer read(RandomReadFile file, long at, int length) {
    ByteBuffer into = ByteBuffer.allocate(length);
    file.readFully(into, at);
    return into.flip();
  }

  /** Checks what is followed by its checksum. */
  private static void require(
      Path path, ByteBuffer buffer, int from, int to, long uniqueId, long offset) {
    int expected = buffer.getInt(to);
    int actual = sum(buffer, from, to - from, uniqueId, offset);
    if (expected != actual) {
      throw CorruptionException.checksum(path, offset, "copy", expected, actual);
    }
  }

  private static int sum(ByteBuffer buffer, int at, int length, long uniqueId, long offset) {
    return Checksums.bind(Checksums.crc32c(buffer, at, length), uniqueId, offset);
  }

  /**
   * Writes a copy, durable but for its name.
   *
   * @param path of the copy, which does not exist
   * @param number of the SST
   * @param sst the SST, which is read by position
   * @throws CorruptionException when the SST has no sound footer
   */
  static void write(
      StoreFileSystem fileSystem, Path path, long number, Path sstPath, RandomReadFile sst) {
    long end = sst.size();
    Footer footer =
        Footer.decode(
            sstPath, read(sst, Math.max(0, end - PAGE_BYTES), PAGE_BYTES), end, fileSystem.keys());
    long from = footer.blocksEnd();
    long id = footer.uniqueId();
    ByteBuffer head = ByteBuffer.allocate(PAGE_BYTES);
    FileHeader.of(FileKind.TAIL, number, id).encodeTo(head, 0);
    head.putLong(SIZE_AT, end).putLong(FROM_AT, from);
    head.putInt(CRC_AT, sum(head, SIZE_AT, CRC_AT - SIZE_AT, id, SIZE_AT));
    int pages = (int) ((end - from) / PAGE_BYTES);
    ByteBuffer sums = ByteBuffer.allocate((int) (bytes(end - from) - PAGE_BYTES - (end - from)));
    try (AppendFile file = fileSystem.create(path)) {
      file.append(head);
      for (int page = 0; page < pages; page += PAGES_AT_ONCE) {
        long at = from + (long) page * PAGE_BYTES;
        ByteBuffer some = read(sst, at, Math.min(PAGES_AT_ONCE, pages - page) * PAGE_BYTES);
        for (int start = 0; start < some.limit(); start += PAGE_BYTES) {
          sums.putInt(sum(some, start, PAGE_BYTES, id, at + start));
        }
        file.append(some);
      }
      sums.putInt(sum(sums, 0, pages * Integer.BYTES, id, PAGE_BYTES + end - from));
      file.append(sums.clear());
      file.sync();
    }
  }

  /** The file of the copy. */
  Path path() {
    return path;
  }

  /** Where in the SST the copy begins. */
  long from() {
    return from;
  }

  /** Where it ends, which is the size of the SST. */
  long end() {
    return end;
  }

  /**
   * Reads whole pages.
   *
   * @param position in the SST, not before {@link #from}
   * @throws CorruptionException when one of them is damaged; what was put into the target is void
   */
  void readFully(ByteBuffer target, long position) {
    int start = target.position();
    file.readFully(target, PAGE_BYTES + position - from);
    for (int at = start; at < target.position(); at += PAGE_BYTES) {
      long offset = position + at - start;
      int expected = sums.getInt((int) ((offset - from) / PAGE_BYTES) * Integer.BYTES);
      int actual = sum(target, at, PAGE_BYTES, uniqueId, offset);
      if (expected != actual) {
        throw CorruptionException.checksum(
            path, PAGE_BYTES + offset - from, "page", expected, actual);
      }
    }
  }

  @Override
  public void close() {
    file.close();
  }
}
