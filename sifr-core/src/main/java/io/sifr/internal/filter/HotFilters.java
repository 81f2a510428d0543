package io.sifr.internal.filter;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the most frequently used filters, bounded in bytes. A missing filter is read by the
 * thread that needs it. That costs about as much as reading the one block that a filter usually
 * saves, and the next lookups find it in memory. Caffeine evicts by frequency, so a pass over all
 * keys does not evict filters that are in constant use. Thread-safe.
 *
 * <p>The key of a filter is the object it belongs to.
 */
final class HotFilters {
  /** Memory a cache entry takes in addition to the filter's bits, in bytes. */
  private static final int OVERHEAD_BYTES = 128;

  private final long mostBytes;
  private final Cache<Object, BloomFilter> cache;

  HotFilters(long mostBytes) {
    this.mostBytes = mostBytes;
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(mostBytes)
            .weigher((Object of, BloomFilter filter) -> weight(filter.bytes()))
            // Evictions happen at once, on the thread that inserts.
            .executor(Runnable::run)
            .build();
  }

  private static int weight(int filterBytes) {
    return filterBytes + OVERHEAD_BYTES;
  }

  /** Whether a filter of that many bytes fits into the cache at all. */
  boolean canHold(int filterBytes) {
    return weight(filterBytes) <= mostBytes;
  }

  /** Whether a filter of that many bytes fits without evicting another. */
  boolean hasRoom(int filterBytes) {
    return bytes() + weight(filterBytes) <= mostBytes;
  }

  @Nullable BloomFilter get(Object of) {
    return cache.getIfPresent(of);
  }

  void put(Object of, BloomFilter filter) {
    cache.put(of, filter);
  }

  void remove(Object of) {
    cache.invalidate(of);
  }

  /** Bytes in use now; at most the bound. */
  long bytes() {
    return cache.policy().eviction().orElseThrow().weightedSize().orElseThrow();
  }
}
