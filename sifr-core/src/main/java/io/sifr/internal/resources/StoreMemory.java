package io.sifr.internal.resources;

import io.sifr.internal.cache.ReadAheadMemory;
import io.sifr.internal.cache.SharedCache;
import io.sifr.internal.memtable.MemtableMemory;
import java.util.function.Supplier;

/**
 * One store's part in a {@link SharedMemory}. Closed when the store is, after its SSTs.
 *
 * <p>Thread-safe.
 */
public final class StoreMemory implements AutoCloseable {
  private final SharedCache.OfStore cache;
  private final MemtableMemory memtables;
  private final ReadAheadMemory readAhead;
  private final Supplier<MemoryUse> ofAll;

  StoreMemory(
      SharedCache.OfStore cache,
      MemtableMemory memtables,
      ReadAheadMemory readAhead,
      Supplier<MemoryUse> ofAll) {
    this.cache = cache;
    this.memtables = memtables;
    this.readAhead = readAhead;
    this.ofAll = ofAll;
  }

  /** What is kept of the store's SSTs. */
  public SharedCache.OfStore cache() {
    return cache;
  }

  /** The memory of its write buffers. */
  public MemtableMemory memtables() {
    return memtables;
  }

  /** What its iterators read ahead. */
  public ReadAheadMemory readAhead() {
    return readAhead;
  }

  /** What all stores that share the memory take. */
  public MemoryUse ofAll() {
    return ofAll.get();
  }

  /** Frees everything. */
  @Override
  public void close() {
    cache.close();
    memtables.close();
  }
}
