package io.sifr.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * Keeps the blocks used most in at most so many bytes off the heap. Which ones is Caffeine's choice
 * (W-TinyLFU, so that one long scan does not drive everything out); where a block is found is told
 * by the {@link BlockTable} of its file.
 *
 * <p>Thread-safe.
 */
public final class BlockCache implements AutoCloseable {
  /** A block larger than one in so many of the cache's bytes would drive out too much. */
  private static final int LARGEST_SHARE = 8;

  private final long maxBytes;
  private final Cache<MemoryBlock, MemoryBlock> kept;

  /**
   * @param maxBytes bytes of blocks it keeps at most; 0 for none
   */
  public BlockCache(long maxBytes) {
    this.maxBytes = maxBytes;
    this.kept =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher((MemoryBlock block, MemoryBlock same) -> block.bytes())
            // Memory goes back at once, on the thread that needs some: the bound holds.
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
    var unused = kept.getIfPresent(block); // asked for the policy's sake
  }

  void evict(MemoryBlock block) {
    kept.invalidate(block);
  }

  /** Lets go of everything. */
  @Override
  public void close() {
    kept.invalidateAll();
    kept.cleanUp();
  }
}
