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
 * All filters of a store (TPDS §4.1): makes those of new SSTs, finds those of old ones, keeps them
 * where the {@link FilterMode} says. Thread-safe.
 */
public final class SstFilters {
  /**
   * Bits a key that filters have more for each stage of data below theirs. A filter of the last
   * stage spares only the reads of keys that are nowhere or in older trees; one of an early stage
   * nearly every read of the store, and takes little memory. With f times the entries in each
   * further stage, the reads in vain are fewest when each stage's rate is one f-th of the next
   * one's (Monkey, SIGMOD 2017, §4.1): log2(4) / ln 2 = 2.9 bits for f = 4.
   */
  private static final int BITS_PER_STAGE = 3;

  private final FilterMode mode;
  private final int bitsPerKey;
  private final FilterFile file;
  private final @Nullable HotFilters cache;
  private final FilterCounts counts = new FilterCounts();
  private final LongAdder residentBytes = new LongAdder();

  /**
   * @param bitsPerKey of filters that are made for the last stage, 1 to {@value
   *     BloomFilter#MAX_BITS_PER_KEY}
   * @param cacheBytes of filters that are kept in memory with {@link FilterMode#HOT}
   * @param numbers gives file numbers, none twice
   * @param uniqueIds gives random ids
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

  /** Those of a store that has none. */
  public static SstFilters off(StoreFileSystem fileSystem, Path directory) {
    return new SstFilters(
        fileSystem, directory, FilterMode.OFF, 1, 0, SstFilters::unused, SstFilters::unused);
  }

  private static long unused() {
    throw new IllegalStateException("no filter file is written where there are no filters");
  }

  /** Whether SSTs have filters at all. */
  public boolean isOn() {
    return mode != FilterMode.OFF;
  }

  /** Where a task that writes SSTs collects their keys; null when there are no filters. */
  public @Nullable KeyHashes newKeyHashes() {
    return isOn() ? new KeyHashes() : null;
  }

  /**
   * Makes the filter of an SST and writes it to the filter file.
   *
   * @param stagesBelow how many stages there are below that of the SST
   * @return null when it has too many keys for one
   */
  public @Nullable SstFilter make(long sst, long sstId, KeyHashes keys, int stagesBelow) {
    int bits = Math.min(BloomFilter.MAX_BITS_PER_KEY, bitsPerKey + BITS_PER_STAGE * stagesBelow);
    BloomFilter filter = keys.toFilter(bits);
    return filter == null ? null : keep(filter, file.write(sst, sstId, filter));
  }

  private SstFilter keep(BloomFilter filter, @Nullable FilterExtent extent) {
    HotFilters hot = cache;
    if (hot == null) {
      residentBytes.add(filter.bytes());
      return SstFilter.resident(counts, file, filter, extent);
    }
    SstFilter kept = SstFilter.hot(counts, file, hot, extent);
    // What is new is asked soon; which of the others goes for it is the cache's to say.
    hot.put(kept, filter);
    return kept;
  }

  /**
   * Finds the filters of SSTs in the filter file, in one pass over it; deletes that file when there
   * are to be no filters. Called once, before anything is made. With other bits a key than those of
   * today they are as good.
   *
   * @param ssts unique id by number of all SSTs there are
   * @return filter by number of the SST; those that are missing have to be made
   */
  public Map<Long, SstFilter> load(Map<Long, Long> ssts) {
    Map<Long, SstFilter> found = new HashMap<>();
    if (isOn()) {
      file.load(new Found(ssts, found));
    } else {
      file.deleteAll();
    }
    return found;
  }

  private final class Found implements FilterFile.Loader {
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
        found.put(extent.sst(), SstFilter.hot(counts, file, hot, extent));
      }
    }

    @Override
    public void giveUp() {
      found.values().forEach(filter -> forget(filter));
      found.clear();
    }
  }

  /**
   * The SST of a filter is gone, and nobody asks any more: its memory and its pages are used for
   * others. Once for each.
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

  /** How often a filter has said no. */
  public long rejects() {
    return counts.rejects();
  }

  /** How often a filter has said that its SST may hold a key, and it did not. */
  public long falsePositives() {
    return counts.falsePositives();
  }

  /**
   * Closes the filter file. What is asked afterwards is answered from memory.
   *
   * @param durable whether the store is closed in order, so that the file is to be there even when
   *     power fails a moment later
   */
  public void close(boolean durable) {
    file.close(durable);
  }
}
