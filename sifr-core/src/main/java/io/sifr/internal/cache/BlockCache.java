package io.sifr.internal.cache;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * The part of one store in a {@link SharedCache}, counted by use.
 *
 * <p>Thread-safe.
 */
public final class BlockCache implements AutoCloseable {
  private final SharedCache shared;
  private final Map<CacheUse, LongAdder> bytes = new EnumMap<>(CacheUse.class);

  /** Nothing yet. */
  public BlockCache(SharedCache shared) {
    this.shared = shared;
    for (CacheUse use : CacheUse.values()) {
      bytes.put(use, new LongAdder());
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
    return bytes.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /** Bytes of what is kept for one use, about. */
  public long bytes(CacheUse use) {
    return of(use).sum();
  }

  /** So much more is kept; less if negative. */
  void count(CacheUse use, int more) {
    of(use).add(more);
  }

  private LongAdder of(CacheUse use) {
    return Objects.requireNonNull(bytes.get(use));
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
