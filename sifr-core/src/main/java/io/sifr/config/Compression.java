package io.sifr.config;

/**
 * The compression of data blocks. A block is filled until it takes a page of 4 KiB, so a block that
 * is made smaller holds more entries, and a read from the device still brings one whole block.
 * Blocks that would not become smaller by an eighth are stored as they are. Blocks are kept in
 * memory as they were before. Each block says how it is stored: the setting decides only about what
 * is written from then on, and a store can be read whatever it says.
 */
public enum Compression {
  /** As they are: nothing to be paid when blocks are written and read. */
  NONE,
  /** LZ4: text takes about half of its space; a block is decoded in about ten microseconds. */
  LZ4,
  /**
   * Zstandard, level 3: text takes about a third of its space; to decode takes three times as long
   * as with LZ4, and so does to encode. Uses the library aircompressor, which is not a module and
   * needs {@code sun.misc.Unsafe}: Java 24 and later print a warning when it is first used.
   */
  ZSTD
}
