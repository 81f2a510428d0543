package io.sifr.internal.filter;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * The filters that are asked most, in a bounded number of bytes. One that is not there is read when
 * it is asked, by who asks: that costs about what reading the block costs that most filters save,
 * and the next to ask has it for nothing. Caffeine decides by frequency what stays, so that a walk
 * through all keys does not drive out what is asked all the time. Thread-safe.
 */
final class HotFilters {
  /** What an entry of the cache takes beside the bits. */
  private static final int OVERHEAD_BYTES = 128;

  private final long mostBytes;
  private final Cache<SstFilter, BloomFilter> cache;

  HotFilters(long mostBytes) {
    this.mostBytes = mostBytes;
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(mostBytes)
            .weigher((SstFilter of, BloomFilter filter) -> weight(filter.bytes()))
            // What is to be driven out goes at once, on the thread that has put something in.
            .executor(Runnable::run)
            .build();
  }

  private static int weight(int filterBytes) {
    return filterBytes + OVERHEAD_BYTES;
  }

  /** Whether a filter of so many bytes can be kept at all. */
  boolean canHold(int filterBytes) {
    return weight(filterBytes) <= mostBytes;
  }

  /** Whether a filter of so many bytes can be kept without driving out another. */
  boolean hasRoom(int filterBytes) {
    return bytes() + weight(filterBytes) <= mostBytes;
  }

  @Nullable BloomFilter get(SstFilter of) {
    return cache.getIfPresent(of);
  }

  void put(SstFilter of, BloomFilter filter) {
    cache.put(of, filter);
  }

  void remove(SstFilter of) {
    cache.invalidate(of);
  }

  /** Bytes taken now; at most the bound. */
  long bytes() {
    return cache.policy().eviction().orElseThrow().weightedSize().orElseThrow();
  }
}
