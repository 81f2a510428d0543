package io.sifr.internal.sst.inspect;

import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.sst.format.SstFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The pages of an SST that may be damaged, a few in memory at a time. Reads the file instead of
 * mapping it, because a page that cannot be read would crash the process in a mapping and is an
 * exception here. For one thread.
 */
final class SstPages implements AutoCloseable {
  private static final int PAGE = SstFormat.PAGE_BYTES;

  /** Pages per read. */
  private static final int WINDOW_PAGES = 64;

  private final RandomReadFile file;
  private final int pages;
  private byte[] array = new byte[WINDOW_PAGES * PAGE];
  private ByteBuffer buffer = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
  private int firstPage;
  private int loadedPages;

  SstPages(RandomReadFile file, int pages) {
    this.file = file;
    this.pages = pages;
  }

  /** Number of pages. */
  int pages() {
    return pages;
  }

  /**
   * Loads pages, which stay in memory until the next call.
   *
   * @return how many of the requested pages, from {@code page} on, exist
   */
  int load(int page, int wanted) {
    int possible = Math.min(wanted, pages - page);
    if (page < firstPage || page + possible > firstPage + loadedPages) {
      int some = Math.min(Math.max(possible, WINDOW_PAGES), pages - page);
      if (some * PAGE > array.length) {
        array = new byte[some * PAGE];
        buffer = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
      }
      loadedPages = 0; // in case the read fails
      file.readFully(ByteBuffer.wrap(array, 0, some * PAGE), (long) page * PAGE);
      firstPage = page;
      loadedPages = some;
    }
    return possible;
  }

  /** Offset of a loaded page in {@link #array} and {@link #buffer}. */
  int offset(int page) {
    return (page - firstPage) * PAGE;
  }

  byte[] array() {
    return array;
  }

  /** The same bytes, little-endian. */
  ByteBuffer buffer() {
    return buffer;
  }

  @Override
  public void close() {
    file.close();
  }
}
