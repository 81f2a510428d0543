package io.sifr.internal.resources;

import io.sifr.config.StoreOptions;
import io.sifr.internal.cache.BlockCache;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.internal.cache.ReadAheadBudget;
import io.sifr.internal.cache.ReadAheadMemory;
import io.sifr.internal.cache.SharedCache;
import io.sifr.internal.memtable.MemtableBudget;
import io.sifr.internal.memtable.MemtableMemory;

/**
 * Memory that any number of stores share, within one budget: what they keep of SSTs, their write
 * buffers, and what iterators read ahead. Write buffers and read-ahead have limits of their own;
 * the cache may take what they do not use at the moment.
 *
 * <p>It holds nothing that has to be closed: each store frees what it has taken.
 *
 * <p>Thread-safe.
 */
public final class SharedMemory {
  /** A change of less than one in this many of the budget's bytes does not change the cache. */
  private static final int SMALL_SHARE = 64;

  /** Idle memory of the pool takes at most one in this many of the bytes from the cache. */
  private static final int MOST_IDLE_SHARE = 4;

  private final MemorySizes sizes;
  private final SharedCache cache;
  private final MemtableBudget memtables;
  private final ReadAheadBudget readAhead;

  /** The bytes that the cache does not get because as much is idle. */
  private volatile long reserved;

  private SharedMemory(MemorySizes sizes) {
    this.sizes = sizes;
    this.cache =
        new SharedCache(
            sizes.cache(), sizes.cacheOnHeap(), sizes.cacheOffHeap(), this::reserveIdle);
    this.memtables = new MemtableBudget(sizes.memtables(), this::fit);
    this.readAhead = new ReadAheadBudget(sizes.readAhead(), this::fit);
  }

  /** As much as the options say. */
  public static SharedMemory of(StoreOptions options) {
    return new SharedMemory(MemorySizes.of(options));
  }

  /** With a cache of that size, and no limit otherwise: for tools and tests. */
  public static SharedMemory ofCache(long cacheBytes) {
    long any = Long.MAX_VALUE / 4;
    return new SharedMemory(new MemorySizes(any, cacheBytes, any, any, any / 4, any / 4));
  }

  /** Takes in a store, until its part is closed. */
  public StoreMemory join() {
    return new StoreMemory(
        new BlockCache(cache),
        new MemtableMemory(memtables),
        new ReadAheadMemory(readAhead),
        this::use);
  }

  /** What all stores take. */
  public MemoryUse use() {
    return new MemoryUse(
        sizes.budget(), memtables.used(), cache.bytes(), readAhead.used(), idleBytes());
  }

  /** Gives the cache what the others leave, if that has changed by much. */
  private void fit() {
    if (Math.abs(left() - cache.maxBytes()) > sizes.budget() / SMALL_SHARE) {
      resizeCache();
    }
  }

  private synchronized void resizeCache() {
    cache.resize(left());
  }

  private long left() {
    long others = memtables.used() + readAhead.used() + reserved;
    return Math.max(0, Math.min(sizes.cache(), sizes.budget() - others));
  }

  /**
   * Idle memory is deducted, but only to some extent: what is evicted to make room for it may be
   * idle, too, for as long as a single block next to it is in use.
   */
  private void reserveIdle() {
    reserved = Math.min(idleBytes(), sizes.budget() / MOST_IDLE_SHARE);
    fit();
  }

  private static long idleBytes() {
    return Math.max(0, BlockMemory.bytesHeld() - BlockMemory.bytesInUse());
  }
}
