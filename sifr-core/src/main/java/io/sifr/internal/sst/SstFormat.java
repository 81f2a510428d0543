package io.sifr.internal.sst;

/** Sizes and limits of the SST format; {@code src-docs/format/sst.md} draws it. */
final class SstFormat {
  /** Blocks begin at multiples of this and take whole ones, so that one direct read gets one. */
  static final int PAGE_BYTES = 4096;

  /**
   * A longer block holds a single entry. Hence all restart offsets fit 16 bits, and nobody reads a
   * huge value to reach a small neighbour.
   */
  static final int MAX_SHARED_PAGES = 16;

  /**
   * Entries from one restart point to the next. For 120-byte entries under random keys of 23 bytes
   * an entry takes 0.4 % less at 16; but a get then walks over eight entries on average instead of
   * four, each in a cache line of its own.
   */
  static final int RESTART_INTERVAL = 8;

  /** Bytes of the longest file: it is mapped through one buffer, whose offsets are ints. */
  static final long MAX_FILE_BYTES = Integer.MAX_VALUE & -PAGE_BYTES;

  /**
   * Most bytes of the raw form of a block that a codec has encoded: as it is, it would fit into
   * {@value #MAX_SHARED_PAGES} pages, behind the file's header too.
   */
  static final int MAX_ENCODED_RAW_BYTES = MAX_SHARED_PAGES * PAGE_BYTES - 64;

  private SstFormat() {}

  /** Pages needed for that many bytes. */
  static int pages(long bytes) {
    return (int) ((bytes + PAGE_BYTES - 1) / PAGE_BYTES);
  }

  /** Where the page begins in which that offset lies. */
  static int pageStart(int offset) {
    return offset & -PAGE_BYTES;
  }
}
