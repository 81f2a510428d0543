package io.sifr.internal.filter;

import io.sifr.error.CorruptionException;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Reads a filter file from its first page to its last. No page says what is free: an extent is one
 * of which header and bits have the right checksums and that somebody wants; what does not belong
 * to such a one is free, be it zeros, a filter whose SST is gone, or what others have overwritten
 * of one.
 */
public final class FilterScan {
  private static final int PAGE = FilterExtent.PAGE_BYTES;

  /** Pages read at once. */
  private static final int WINDOW_PAGES = 256;

  /** Is shown what is found. */
  public interface Visitor {
    /**
     * Whether the SST exists that this filter is for. If not, its pages are free, and another
     * filter may begin in the midst of them.
     */
    boolean wants(FilterExtent extent);

    /** A filter that is wanted, and whole. */
    void filter(FilterExtent extent, BloomFilter filter);

    /** A page that begins like a filter that may be wanted, and is not a whole one. */
    void damaged(long page, CorruptionException damage);
  }

  private final Path path;
  private final RandomReadFile file;
  private final long pages;
  private byte[] window = new byte[WINDOW_PAGES * PAGE];
  private long firstPage;
  private int loadedPages;

  private FilterScan(Path path, RandomReadFile file) {
    this.path = path;
    this.file = file;
    this.pages = file.size() / PAGE;
  }

  /**
   * What was scanned.
   *
   * @param header the file's header
   * @param pages whole pages of the file
   */
  public record Result(FileHeader header, long pages) {}

  /**
   * Reads the file.
   *
   * @throws CorruptionException when it does not begin with a whole header; what else is damaged is
   *     told to the visitor
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   * @throws io.sifr.error.StoreIoException when it cannot be read
   */
  public static Result run(
      StoreFileSystem fileSystem, Path directory, long number, Visitor visitor) {
    Path path = FileKind.FILTERS.path(directory, number);
    try (RandomReadFile file = fileSystem.openForRead(path)) {
      return new FilterScan(path, file).run(number, visitor);
    }
  }

  private Result run(long number, Visitor visitor) {
    if (pages == 0) {
      throw new CorruptionException(
          path, 0, "the file has " + file.size() + " bytes, its first page alone takes " + PAGE);
    }
    FileHeader header = FileHeader.decode(path, load(0, 1), FileKind.FILTERS, number);
    long page = 1;
    while (page < pages) {
      page += piece(page, header.uniqueId(), visitor);
    }
    return new Result(header, pages);
  }

  /** Looks at the page. Returns how many pages what is there takes. */
  private int piece(long page, long fileId, Visitor visitor) {
    ByteBuffer start = load(page, 1);
    if (!FilterExtent.isLikely(start)) {
      return 1;
    }
    try {
      FilterExtent extent = FilterExtent.decode(path, start, page, pages, fileId);
      if (!visitor.wants(extent)) {
        return 1;
      }
      BloomFilter filter = extent.filter(path, load(page, extent.pages()), fileId);
      visitor.filter(extent, filter);
      return extent.pages();
    } catch (CorruptionException e) {
      visitor.damaged(page, e);
      return 1;
    }
  }

  /** Some pages, valid until the next call. */
  private ByteBuffer load(long page, int wanted) {
    if (page < firstPage || page + wanted > firstPage + loadedPages) {
      int some = (int) Math.min(Math.max(wanted, WINDOW_PAGES), pages - page);
      if (some * PAGE > window.length) {
        window = new byte[some * PAGE];
      }
      loadedPages = 0; // should the read fail
      file.readFully(ByteBuffer.wrap(window, 0, some * PAGE), page * PAGE);
      firstPage = page;
      loadedPages = some;
    }
    return ByteBuffer.wrap(window, (int) (page - firstPage) * PAGE, wanted * PAGE).slice();
  }
}
