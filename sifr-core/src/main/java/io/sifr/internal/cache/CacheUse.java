package io.sifr.internal.cache;

/** What the memory of a {@link SharedCache.OfStore} is used for. */
public enum CacheUse {
  /** Blocks of entries, off the heap. */
  BLOCKS,
  /** Parts of indexes, on the heap. */
  INDEXES,
  /** Pages of filters, on the heap. */
  FILTERS
}
