package io.sifr.internal.cache;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Keeps what is used most frequently of what has been read from SSTs, bounded in bytes: blocks off
 * the heap, parts of indexes and pages of filters on the heap. It may be shared by several stores,
 * each of which uses it as its {@code BlockCache}. It locates nothing: that is done by {@link
 * CachedTable}s.
 *
 * <p>A small cache is one area in which everything competes. Where it may grow beyond what is to be
 * used of the heap, indexes and filters have an area of their own, which is bounded by that; blocks
 * get what it leaves, because one part of an index or page of a filter serves the searches of some
 * hundred blocks.
 *
 * <p>Thread-safe.
 */
public final class SharedCache {
  /** At least one in this many of the bytes is for blocks. */
  private static final int LEAST_SHARE_FOR_BLOCKS = 4;

  /** A change of less than one in this many of the bytes is not worth the work. */
  private static final int SMALL_SHARE = 64;

  private final long mostOnHeap;
  private final long mostOffHeap;
  private final CacheArea onHeap;
  private final CacheArea offHeap;

  private volatile long maxBytes;

  /** Bytes of indexes and filters that the size of the area of blocks is based on. */
  private volatile long expectedOnHeap;

  /**
   * A cache of constant size in which everything competes.
   *
   * @param maxBytes capacity; 0 for no cache
   */
  public SharedCache(long maxBytes) {
    this(maxBytes, Long.MAX_VALUE, Long.MAX_VALUE);
  }

  /**
   * A cache.
   *
   * @param maxBytes capacity, the largest that it will have
   * @param mostOnHeap bytes of it that may be on the heap
   * @param mostOffHeap bytes of it that may be off the heap, if it is larger than the heap's part
   */
  public SharedCache(long maxBytes, long mostOnHeap, long mostOffHeap) {
    this.maxBytes = maxBytes;
    this.mostOnHeap = mostOnHeap;
    this.mostOffHeap = mostOffHeap;
    Queue<Cached> evicted = new ConcurrentLinkedQueue<>();
    this.onHeap = new CacheArea(maxBytes, evicted);
    this.offHeap = maxBytes <= mostOnHeap ? onHeap : new CacheArea(maxBytes, evicted);
    divide();
  }

  /** Where blocks compete. */
  CacheArea offHeap() {
    return offHeap;
  }

  /** Where parts of indexes and pages of filters compete. */
  CacheArea onHeap() {
    return onHeap;
  }

  /** Bytes of all it keeps, about. */
  public long bytes() {
    return onHeap == offHeap ? onHeap.bytes() : onHeap.bytes() + offHeap.bytes();
  }

  /** Its capacity. */
  public long maxBytes() {
    return maxBytes;
  }

  /** Changes the capacity, and evicts what exceeds it. */
  public synchronized void resize(long newMaxBytes) {
    maxBytes = newMaxBytes;
    divide();
  }

  /** Gives blocks what indexes and filters leave; called when something was added. */
  void grown() {
    if (onHeap != offHeap && Math.abs(onHeap.bytes() - expectedOnHeap) > maxBytes / SMALL_SHARE) {
      divide();
    }
  }

  private synchronized void divide() {
    if (onHeap == offHeap) {
      onHeap.resize(maxBytes);
    } else {
      onHeap.resize(Math.min(mostOnHeap, maxBytes - maxBytes / LEAST_SHARE_FOR_BLOCKS));
      expectedOnHeap = onHeap.bytes();
      offHeap.resize(Math.min(mostOffHeap, Math.max(0, maxBytes - expectedOnHeap)));
    }
  }

  /** Releases what was evicted. */
  void releaseEvicted() {
    onHeap.releaseEvicted();
  }

  /** Drops everything in tables of one owner. */
  void dropAllOf(Object owner) {
    onHeap.dropAllOf(owner);
    if (offHeap != onHeap) {
      offHeap.dropAllOf(owner);
    }
  }
}
