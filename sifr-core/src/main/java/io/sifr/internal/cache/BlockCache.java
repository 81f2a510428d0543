package io.sifr.internal.cache;

import java.util.concurrent.atomic.LongAdder;

/**
 * What one store keeps in a {@link SharedCache}, counted by use.
 *
 * <p>Thread-safe.
 */
public final class BlockCache implements AutoCloseable {
  private final SharedCache shared;
  private final LongAdder[] bytes = new LongAdder[CacheUse.values().length];

  /** Nothing yet. */
  public BlockCache(SharedCache shared) {
    this.shared = shared;
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = new LongAdder();
    }
  }

  /**
   * A cache that is shared with no other store.
   *
   * @param maxBytes capacity; 0 for no cache
   */
  public BlockCache(long maxBytes) {
    this(new SharedCache(maxBytes));
  }

  SharedCache shared() {
    return shared;
  }

  /** Bytes of all that is kept for the store, about. */
  public long bytes() {
    long sum = 0;
    for (LongAdder ofOneUse : bytes) {
      sum += ofOneUse.sum();
    }
    return sum;
  }

  /** Bytes of what is kept for one use, about. */
  public long bytes(CacheUse use) {
    return bytes[use.ordinal()].sum();
  }

  /** So much more is kept; less if negative. */
  void count(CacheUse use, int more) {
    bytes[use.ordinal()].add(more);
  }

  /** Releases what was evicted, of any store. */
  public void releaseEvicted() {
    shared.releaseEvicted();
  }

  /** Drops everything of the store. */
  @Override
  public void close() {
    shared.dropAllOf(this);
  }
}
