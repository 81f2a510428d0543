package io.sifr.internal.resources;

import io.sifr.config.StoreOptions;
import io.sifr.internal.cache.BlockCache;
import io.sifr.internal.cache.SharedCache;
import io.sifr.internal.memtable.MemtableMemory;

/**
 * Memory that any number of stores share: what they keep of SSTs, and their write buffers. It holds
 * nothing that has to be closed: each store gives back what it has taken.
 *
 * <p>Thread-safe.
 */
public final class SharedMemory {
  private final SharedCache cache;
  private final MemtableMemory memtables;

  private SharedMemory(SharedCache cache, MemtableMemory memtables) {
    this.cache = cache;
    this.memtables = memtables;
  }

  /** As much as the options say. */
  public static SharedMemory of(StoreOptions options) {
    return new SharedMemory(
        new SharedCache(BlockCacheSize.of(options.blockCacheBytes())),
        MemtableMemory.of(options.totalWriteBufferBytes(), options.writeBufferBytes()));
  }

  /** With a cache of that size, for tools and tests. */
  public static SharedMemory ofCache(long cacheBytes) {
    return new SharedMemory(new SharedCache(cacheBytes), new MemtableMemory(Long.MAX_VALUE));
  }

  /** Takes in a store, until its part is closed. */
  public StoreMemory join() {
    return new StoreMemory(new BlockCache(cache), memtables);
  }
}
