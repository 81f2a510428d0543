package io.sifr.internal.resources;

import io.sifr.internal.cache.BlockCache;
import io.sifr.internal.memtable.MemtableMemory;

/**
 * One store's part in a {@link SharedMemory}. Closed when the store is, after its SSTs.
 *
 * <p>Thread-safe.
 */
public final class StoreMemory implements AutoCloseable {
  private final BlockCache cache;
  private final MemtableMemory memtables;

  StoreMemory(BlockCache cache, MemtableMemory memtables) {
    this.cache = cache;
    this.memtables = memtables;
  }

  /** What is kept of the store's SSTs. */
  public BlockCache cache() {
    return cache;
  }

  /** The memory of its write buffers. */
  public MemtableMemory memtables() {
    return memtables;
  }

  /** Gives back everything. */
  @Override
  public void close() {
    cache.close();
  }
}
