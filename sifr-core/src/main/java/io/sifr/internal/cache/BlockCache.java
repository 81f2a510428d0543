package io.sifr.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * Keeps the most frequently used blocks off the heap, bounded in bytes. Caffeine chooses them
 * (W-TinyLFU, so that one long scan does not evict everything); the {@link BlockTable} of a file
 * locates its blocks.
 *
 * <p>Thread-safe.
 */
public final class BlockCache implements AutoCloseable {
  /** A block larger than one in this many of the cache's bytes would evict too much. */
  private static final int LARGEST_SHARE = 8;

  private final long maxBytes;
  private final Cache<MemoryBlock, MemoryBlock> kept;

  /**
   * @param maxBytes capacity; 0 for no cache
   */
  public BlockCache(long maxBytes) {
    this.maxBytes = maxBytes;
    this.kept =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher((MemoryBlock block, MemoryBlock same) -> block.bytes())
            // Evicted memory is released at once, by the thread that inserts: the bound holds.
            .executor(Runnable::run)
            .removalListener(
                (block, same, cause) -> {
                  if (block != null) {
                    block.evicted();
                  }
                })
            .build();
  }

  /** Bytes of all blocks it keeps, about. */
  public long bytes() {
    return kept.policy().eviction().orElseThrow().weightedSize().orElse(0);
  }

  boolean takes(int bytes) {
    return bytes <= maxBytes / LARGEST_SHARE;
  }

  void add(MemoryBlock block) {
    kept.put(block, block);
  }

  void used(MemoryBlock block) {
    var unused = kept.getIfPresent(block); // only to record the access
  }

  void evict(MemoryBlock block) {
    kept.invalidate(block);
  }

  /** Releases all blocks. */
  @Override
  public void close() {
    kept.invalidateAll();
    kept.cleanUp();
  }
}
