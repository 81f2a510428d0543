package io.sifr.internal.filter;

import io.sifr.error.SifrException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filter of one SST, whether in memory, in the filter file, or both. When it cannot be read, it
 * answers that every key may be in the SST. Thread-safe.
 */
public final class SstFilter {
  private static final Logger LOG = LoggerFactory.getLogger(SstFilter.class);

  private final FilterCounts counts;
  private final FilterFile file;

  /** The cache of a filter that is not {@link #resident}; null when all filters are resident. */
  private final @Nullable HotFilters cache;

  private final @Nullable BloomFilter resident;

  /** Its extent in the file; null when it could not be written or can no longer be read. */
  private volatile @Nullable FilterExtent extent;

  /**
   * @param cache where it is kept while it is used often; null when it stays in memory
   * @param resident the filter, if it stays in memory
   * @param extent its extent in the file; null when it could not be written
   */
  SstFilter(
      FilterCounts counts,
      FilterFile file,
      @Nullable HotFilters cache,
      @Nullable BloomFilter resident,
      @Nullable FilterExtent extent) {
    this.counts = counts;
    this.file = file;
    this.cache = cache;
    this.resident = resident;
    this.extent = extent;
  }

  /** Returns false only when the SST certainly does not hold the key with that {@link KeyHash}. */
  public boolean mayHold(long hash) {
    BloomFilter filter = resident == null ? fromCache() : resident;
    if (filter == null || filter.mayHold(hash)) {
      return true;
    }
    counts.rejected();
    return false;
  }

  /** Whether it is in memory, so that no read from the file is needed. */
  public boolean isInMemory() {
    HotFilters hot = cache;
    FilterExtent from = extent;
    return hot == null || hot.get(this) != null || from == null || !hot.canHold(from.filterBytes());
  }

  /** Counts a false positive: the SST did not hold a key although {@link #mayHold} was true. */
  public void missed() {
    HotFilters hot = cache;
    if (hot == null || hot.get(this) != null) {
      counts.falsePositive();
    }
  }

  private @Nullable BloomFilter fromCache() {
    HotFilters hot = cache;
    if (hot == null) {
      return null;
    }
    BloomFilter filter = hot.get(this);
    return filter == null ? load(hot) : filter;
  }

  private @Nullable BloomFilter load(HotFilters hot) {
    FilterExtent from = extent;
    if (from == null || !hot.canHold(from.filterBytes())) {
      return null;
    }
    try {
      BloomFilter filter = file.read(from);
      hot.put(this, filter);
      return filter;
    } catch (SifrException e) {
      LOG.warn("SST {} has no filter until the store is opened again", from.sst(), e);
      extent = null;
      return null;
    }
  }

  /** Bytes it takes in memory, not counting the cache. */
  int residentBytes() {
    return resident == null ? 0 : resident.bytes();
  }

  /** Its extent in the file; null when it is not in the file. */
  @Nullable FilterExtent extent() {
    return extent;
  }

  /** Detaches the extent and returns it; the caller frees it. */
  synchronized @Nullable FilterExtent takeExtent() {
    FilterExtent taken = extent;
    extent = null;
    return taken;
  }
}
