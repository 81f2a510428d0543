package io.sifr.internal.sst.read;

/** How much an iterator reads at once. */
public enum ReadAheadPolicy {
  /**
   * A few blocks at first, through the cache, then more and more. For scans of users, most of which
   * are short.
   */
  GROWING,
  /**
   * The same for a scan that is long already, for example one that continues from the previous SST.
   */
  GROWN,
  /**
   * As much as is worthwhile from the first block on, bypassing the cache, and verifying every
   * block. For compactions, which read everything once, and write what they read under new
   * checksums.
   */
  FULL
}
