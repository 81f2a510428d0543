package io.sifr.internal.filter;

import io.sifr.error.CorruptionException;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a filter file from its first page to its last. The file has no list of free pages: an
 * extent is in use when the checksums of its header and bits are right and its SST exists. Every
 * other page is free: zeros, filters whose SST is gone, and partly overwritten filters.
 */
public final class FilterScan {
  private static final int PAGE = FilterExtent.PAGE_BYTES;

  /** Pages per read. */
  private static final int WINDOW_PAGES = 256;

  /** Receives what is found. */
  public interface Visitor {
    /**
     * Whether the SST of this filter exists. If not, its pages are free, and another filter may
     * begin in the middle of them.
     */
    boolean wants(FilterExtent extent);

    /** An intact filter of an SST that exists. */
    void filter(FilterExtent extent, BloomFilter filter);

    /** A page that begins like a filter of an SST that may exist, but is not an intact one. */
    default void damaged(long page, CorruptionException damage) {}
  }

  private final Path path;
  private final RandomReadFile file;
  private final long pages;
  private final List<FilterExtent> used = new ArrayList<>();
  private final List<CorruptionException> damaged = new ArrayList<>();
  private byte[] window = new byte[WINDOW_PAGES * PAGE];
  private long firstPage;
  private int loadedPages;

  private FilterScan(Path path, RandomReadFile file) {
    this.path = path;
    this.file = file;
    this.pages = file.size() / PAGE;
  }

  /**
   * The result of a scan.
   *
   * @param header the file's header
   * @param pages whole pages of the file
   * @param used the extents of the intact filters of SSTs that exist, ascending
   * @param damaged why pages that begin like filters of SSTs that may exist are no intact ones
   */
  public record Result(
      FileHeader header, long pages, List<FilterExtent> used, List<CorruptionException> damaged) {}

  /**
   * Reads the file.
   *
   * @throws CorruptionException when the file's header is damaged; any other damage is reported to
   *     the visitor
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
    return new Result(header, pages, used, damaged);
  }

  /** Examines a page. Returns the number of pages of the piece that begins there. */
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
      used.add(extent);
      return extent.pages();
    } catch (CorruptionException e) {
      visitor.damaged(page, e);
      damaged.add(e);
      return 1;
    }
  }

  /** Loads some pages; the result is valid until the next call. */
  private ByteBuffer load(long page, int wanted) {
    if (page < firstPage || page + wanted > firstPage + loadedPages) {
      int some = (int) Math.min(Math.max(wanted, WINDOW_PAGES), pages - page);
      if (some * PAGE > window.length) {
        window = new byte[some * PAGE];
      }
      loadedPages = 0; // in case the read fails
      file.readFully(ByteBuffer.wrap(window, 0, some * PAGE), page * PAGE);
      firstPage = page;
      loadedPages = some;
    }
    return ByteBuffer.wrap(window, (int) (page - firstPage) * PAGE, wanted * PAGE).slice();
  }
}
