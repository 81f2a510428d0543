package io.sifr.internal.cache;

/** A use of the memory of a {@link SharedCache.OfStore}. */
public enum CacheUse {
  /** Blocks of entries, off the heap. */
  BLOCKS,
  /** Parts of indexes, on the heap. */
  INDEXES,
  /** Pages of filters, on the heap. */
  FILTERS
}
