package io.sifr.internal.sst.format;

/** Sizes and limits of the SST format; {@code src-docs/format/sst.md} draws it. */
public final class SstFormat {
  /**
   * Blocks begin at multiples of this and their sizes are multiples of it, so that one direct read
   * loads a block.
   */
  public static final int PAGE_BYTES = 4096;

  /**
   * A longer block holds a single entry. Hence offsets of entries fit into 16 bits where there are
   * several, and no huge value is read to reach a small neighbour.
   */
  public static final int MAX_SHARED_PAGES = 16;

  /** Size of the longest block that holds several entries. */
  public static final int MAX_SHARED_BYTES = MAX_SHARED_PAGES * PAGE_BYTES;

  /** Size of the longest file: it is mapped through one buffer, whose offsets are ints. */
  public static final long MAX_FILE_BYTES = Integer.MAX_VALUE & -PAGE_BYTES;

  /**
   * Largest raw form of an encoded block: stored as it is, it would fit into {@value
   * #MAX_SHARED_PAGES} pages, even after the file's header.
   */
  public static final int MAX_ENCODED_RAW_BYTES = MAX_SHARED_PAGES * PAGE_BYTES - 64;

  private SstFormat() {}

  /** Number of pages that many bytes take. */
  public static int pages(long bytes) {
    return (int) ((bytes + PAGE_BYTES - 1) / PAGE_BYTES);
  }

  /** Start of the page that contains the offset. */
  public static int pageStart(int offset) {
    return offset & -PAGE_BYTES;
  }
}
