package io.sifr.internal.filter;

import io.sifr.error.SifrException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filter of one SST, wherever it is: in memory, in the filter file, or both. Where it cannot be
 * had, every key may be in the SST. Safe for any thread.
 */
public final class SstFilter {
  private static final Logger LOG = LoggerFactory.getLogger(SstFilter.class);

  private final FilterCounts counts;
  private final FilterFile file;

  /** Where the filter is when it is not {@link #resident}; null when all are. */
  private final @Nullable HotFilters cache;

  private final @Nullable BloomFilter resident;

  /** Where in the file it is; null when it could not be written, or cannot be read any more. */
  private volatile @Nullable FilterExtent extent;

  private SstFilter(
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

  /** One that stays in memory. */
  static SstFilter resident(
      FilterCounts counts, FilterFile file, BloomFilter filter, @Nullable FilterExtent extent) {
    return new SstFilter(counts, file, null, filter, extent);
  }

  /** One that is in the cache when it is asked often. */
  static SstFilter hot(
      FilterCounts counts, FilterFile file, HotFilters cache, @Nullable FilterExtent extent) {
    return new SstFilter(counts, file, cache, null, extent);
  }

  /** False when the SST does not hold the key of that {@link KeyHash} for sure. */
  public boolean mayHold(long hash) {
    BloomFilter filter = resident == null ? fromCache() : resident;
    if (filter == null || filter.mayHold(hash)) {
      return true;
    }
    counts.rejected();
    return false;
  }

  /** Whether it can be asked without reading it from the file first. */
  public boolean isInMemory() {
    HotFilters hot = cache;
    FilterExtent from = extent;
    return hot == null || hot.get(this) != null || from == null || !hot.canHold(from.filterBytes());
  }

  /** Told that the SST did not hold a key although {@link #mayHold} was true. */
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

  /** Bytes it takes in memory beside the cache. */
  int residentBytes() {
    return resident == null ? 0 : resident.bytes();
  }

  /** Where in the file it is; null when it is not. */
  @Nullable FilterExtent extent() {
    return extent;
  }

  /** Takes away where it is, for whoever gives that back. */
  synchronized @Nullable FilterExtent takeExtent() {
    FilterExtent taken = extent;
    extent = null;
    return taken;
  }
}
