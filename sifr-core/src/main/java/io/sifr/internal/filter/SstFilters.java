package io.sifr.internal.filter;

import io.sifr.config.FilterMode;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All filters of a store (TPDS §4.1): builds those of new SSTs, loads those of existing ones, and
 * keeps them where the {@link FilterMode} says. Thread-safe.
 */
public final class SstFilters {
  private final FilterMode mode;
  private final int bitsPerKey;
  private final FilterFile file;
  private final @Nullable HotFilters cache;
  private final FilterCounts counts = new FilterCounts();
  private final LongAdder residentBytes = new LongAdder();

  /**
   * @param bitsPerKey bits per key of filters of the last stage, 1 to {@value
   *     BloomFilter#MAX_BITS_PER_KEY}
   * @param cacheBytes bytes of filters kept in memory with {@link FilterMode#HOT}
   * @param numbers supplies file numbers, each once
   * @param uniqueIds supplies random ids
   */
  public SstFilters(
      StoreFileSystem fileSystem,
      Path directory,
      FilterMode mode,
      int bitsPerKey,
      long cacheBytes,
      LongSupplier numbers,
      LongSupplier uniqueIds) {
    this.mode = mode;
    this.bitsPerKey = bitsPerKey;
    this.file = new FilterFile(fileSystem, directory, numbers, uniqueIds);
    this.cache = mode == FilterMode.HOT ? new HotFilters(cacheBytes) : null;
  }

  /** Whether SSTs have filters at all. */
  public boolean isOn() {
    return mode != FilterMode.OFF;
  }

  /** A collector of key hashes for a task that writes SSTs; null when there are no filters. */
  public @Nullable KeyHashes newKeyHashes() {
    return isOn() ? new KeyHashes() : null;
  }

  /**
   * Builds the filter of an SST and writes it to the filter file.
   *
   * @param moreBits bits per key beyond those that all filters have
   * @return null when it has too many keys for a filter
   */
  public @Nullable SstFilter make(long sst, long sstId, KeyHashes keys, int moreBits) {
    int bits = Math.min(BloomFilter.MAX_BITS_PER_KEY, bitsPerKey + moreBits);
    BloomFilter filter = keys.toFilter(bits);
    return filter == null ? null : keep(filter, file.write(sst, sstId, filter));
  }

  private SstFilter keep(BloomFilter filter, @Nullable FilterExtent extent) {
    HotFilters hot = cache;
    if (hot == null) {
      residentBytes.add(filter.bytes());
      return new SstFilter(counts, file, null, filter, extent);
    }
    SstFilter kept = new SstFilter(counts, file, hot, null, extent);
    // A new filter will be used soon; the cache decides which others to evict for it.
    hot.put(kept, filter);
    return kept;
  }

  /**
   * Loads the filters of SSTs from the filter file, in one pass over it; deletes that file when
   * there are to be no filters. Called once, before any filter is built. Filters built with another
   * number of bits per key are kept.
   *
   * @param ssts unique ids of all SSTs, by number
   * @return filters by number of the SST; missing ones have to be built
   */
  public Map<Long, SstFilter> load(Map<Long, Long> ssts) {
    Map<Long, SstFilter> found = new HashMap<>();
    if (isOn()) {
      if (!file.load(new Found(ssts, found))) {
        found.values().forEach(this::forget);
        found.clear();
      }
    } else {
      file.deleteAll();
    }
    return found;
  }

  private final class Found implements FilterScan.Visitor {
    private final Map<Long, Long> ssts;
    private final Map<Long, SstFilter> found;

    Found(Map<Long, Long> ssts, Map<Long, SstFilter> found) {
      this.ssts = ssts;
      this.found = found;
    }

    @Override
    public boolean wants(FilterExtent extent) {
      Long id = ssts.get(extent.sst());
      return id != null && id == extent.sstId() && !found.containsKey(extent.sst());
    }

    @Override
    public void filter(FilterExtent extent, BloomFilter filter) {
      HotFilters hot = cache;
      if (hot == null || hot.hasRoom(filter.bytes())) {
        found.put(extent.sst(), keep(filter, extent));
      } else {
        found.put(extent.sst(), new SstFilter(counts, file, hot, null, extent));
      }
    }
  }

  /**
   * Releases the memory and the pages of a filter whose SST is gone and has no readers. Called once
   * per filter.
   */
  public void remove(SstFilter filter) {
    FilterExtent extent = filter.takeExtent();
    if (extent != null) {
      file.free(extent);
    }
    forget(filter);
  }

  private void forget(SstFilter filter) {
    residentBytes.add(-filter.residentBytes());
    HotFilters hot = cache;
    if (hot != null) {
      hot.remove(filter);
    }
  }

  /** Bytes of filters in memory. */
  public long memoryBytes() {
    HotFilters hot = cache;
    return hot == null ? residentBytes.sum() : hot.bytes();
  }

  /** Number of lookups that a filter answered with no. */
  public long rejects() {
    return counts.rejects();
  }

  /** Number of false positives: a filter answered that its SST may hold a key, and it did not. */
  public long falsePositives() {
    return counts.falsePositives();
  }

  /**
   * Closes the filter file. Later lookups use only the filters in memory.
   *
   * @param durable whether to sync the file, so that it survives a power failure after an orderly
   *     close
   */
  public void close(boolean durable) {
    file.close(durable);
  }
}
