package io.sifr.config;

/**
 * Where the filters of SSTs are kept: small bit sets that rule out most keys that an SST does not
 * hold, without reading its blocks.
 */
public enum FilterMode {
  /** All in memory; about 1.3 bytes per key with 10 bits per key. */
  RESIDENT,
  /**
   * The most used ones in a cache of bounded size. The others are read from the store's filter file
   * when needed: a read of about 20 KiB for an SST of 2 MiB, often instead of one of a block.
   */
  HOT,
  /**
   * No filters: a read searches every tree that may hold the key. Opening a store in this mode
   * deletes the filters it had.
   */
  OFF
}
