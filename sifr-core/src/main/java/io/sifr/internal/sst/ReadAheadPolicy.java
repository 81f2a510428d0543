package io.sifr.internal.sst;

/** How much a walk reads at once. */
public enum ReadAheadPolicy {
  /**
   * A few blocks at first, and through the cache; more and more when the walk goes on. For walks of
   * users, most of which are short.
   */
  GROWING,
  /** The same, of a walk that has come far already: out of the SST before, for example. */
  GROWN,
  /**
   * As much as is worth while from the first block on, past the cache. For merges, which read
   * everything once.
   */
  FULL
}
