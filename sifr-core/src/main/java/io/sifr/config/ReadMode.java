package io.sifr.config;

/** How blocks of data come into memory. */
public enum ReadMode {
  /**
   * {@link #MMAP} while all data fits well into the memory that the heap leaves, else {@link
   * #POSITIONAL}; the store looks again as it grows and shrinks. The default.
   */
  AUTO,

  /**
   * Files are mapped, and the page cache of the operating system is the only one. Fastest while the
   * data fits into memory, and very slow when it does not: the system then reads many pages for
   * each that is wanted.
   */
  MMAP,

  /**
   * One read for a block, through the page cache, into a cache of the store's own. Whatever memory
   * there is serves as a second cache.
   */
  POSITIONAL,

  /**
   * One read for a block, past the page cache, into a cache of the store's own: all memory used is
   * the store's and has a bound. For a machine shared with others, and for data much larger than
   * memory. Where the file system has no direct reads it is {@link #POSITIONAL}, with a warning in
   * the log.
   */
  DIRECT
}
