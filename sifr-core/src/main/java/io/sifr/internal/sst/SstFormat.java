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
   * Entries from one restart point to the next. A restart costs the bytes its key would have shared
   * and two more, which for keys of 23 bytes is 1.4 bytes an entry at 8 and 0.7 at 16; a get pays
   * four more entries to skip at 16, some 10 ns.
   */
  static final int RESTART_INTERVAL = 16;

  /** Bytes of the longest user key. */
  static final int MAX_KEY_BYTES = 1 << 16;

  /** Bytes of the longest value. */
  static final int MAX_VALUE_BYTES = 1 << 29;

  /** Bytes of the longest file: it is mapped through one buffer, whose offsets are ints. */
  static final long MAX_FILE_BYTES = Integer.MAX_VALUE & -PAGE_BYTES;

  /** Entries are stored as they are. */
  static final int CODEC_NONE = 0;

  private SstFormat() {}

  /** Pages needed for that many bytes. */
  static int pages(long bytes) {
    return (int) ((bytes + PAGE_BYTES - 1) / PAGE_BYTES);
  }
}
