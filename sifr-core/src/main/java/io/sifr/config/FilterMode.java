package io.sifr.config;

/**
 * Where the filters of SSTs are: small bit sets that tell of most keys an SST does not hold that it
 * does not, without a look at its blocks.
 */
public enum FilterMode {
  /** All of them in memory; about 1.3 bytes a key with 10 bits a key. */
  RESIDENT,
  /**
   * Those that are asked most in a cache of bounded size. The others are read from the store's
   * filter file when they are asked: a read of about 20 KiB for an SST of 2 MiB, often instead of
   * one of a block.
   */
  HOT,
  /**
   * There are none: a read asks every tree that may hold the key. Opening a store in this mode
   * deletes those it had.
   */
  OFF
}
