package io.sifr.config;

/**
 * The way in which blocks of data are read into memory. Each block has a checksum. It is checked
 * whenever the block is read from its file; of a mapping, when a get or a cursor first uses the
 * block since the store was opened. If a mapped file is damaged after that, gets and cursors may
 * return what is there. Compactions, backups and other copies check every block they read in all
 * modes, so damage never gets into new files unnoticed.
 */
public enum ReadMode {
  /**
   * {@link #MMAP} while all data fits well into the memory outside the heap, else {@link
   * #POSITIONAL}; checked again as the store grows and shrinks. The default.
   */
  AUTO,

  /**
   * Files are mapped, and the page cache of the operating system is the only one. Fastest while the
   * data fits into memory, and very slow when it does not: the system then reads many pages for
   * each that is wanted.
   */
  MMAP,

  /**
   * One read per block, through the page cache, into the store's own cache. Free memory serves as a
   * second cache.
   */
  POSITIONAL,

  /**
   * One read per block, bypassing the page cache, into the store's own cache: all memory used is
   * the store's and bounded. The SSTs that flushes and compactions write bypass it as well, so that
   * they drive nothing out of it; each that is being written takes a mebibyte off the heap for
   * that. For a machine shared with others, and for data much larger than memory. Where the file
   * system has no direct reads it is the same as {@link #POSITIONAL}, with a warning in the log.
   */
  DIRECT
}
