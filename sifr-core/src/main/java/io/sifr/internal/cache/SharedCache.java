package io.sifr.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps what is used most frequently of what has been read from SSTs, bounded in bytes: blocks off
 * the heap, parts of indexes and pages of filters on the heap. Caffeine chooses them (W-TinyLFU, so
 * that one long scan does not evict everything). It locates nothing: that is done by {@link
 * CachedTable}s.
 *
 * <p>Thread-safe.
 */
public final class SharedCache {
  /** What is larger than one in this many of the cache's bytes would evict too much. */
  private static final int LARGEST_SHARE = 8;

  /** Of frequent uses a random sample, one in this many, is recorded. */
  private static final int RECORDED_ONE_IN = 16;

  private final long maxBytes;
  private final Cache<Cached, Cached> kept;
  private final AtomicLong bytes = new AtomicLong();

  /** What is evicted next may be something used often; until then such uses are not recorded. */
  private volatile boolean crowded;

  /**
   * What was evicted and has not been released yet. It is released outside of Caffeine's lock,
   * because the eviction of a part of an index evicts its blocks.
   */
  private final Queue<Cached> evicted = new ConcurrentLinkedQueue<>();

  /**
   * @param maxBytes capacity; 0 for no cache
   */
  public SharedCache(long maxBytes) {
    this.maxBytes = maxBytes;
    this.kept =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher((Cached item, Cached same) -> item.bytes())
            // Evicted memory is released at once, by the thread that inserts: the bound holds.
            .executor(Runnable::run)
            .removalListener(
                (item, same, cause) -> {
                  if (item != null) {
                    evicted.add(item);
                  }
                })
            .build();
  }

  /** Bytes of all it keeps, about. */
  public long bytes() {
    return bytes.get();
  }

  /** Whether it keeps things of that size. */
  boolean takes(int bytesOfOne) {
    return bytesOfOne <= maxBytes / LARGEST_SHARE;
  }

  /** Keeps something that it {@link #takes}, until it is evicted; which may be at once. */
  void add(Cached item) {
    if (bytes.addAndGet(item.bytes()) > maxBytes / 2 && !crowded) {
      crowded = true;
    }
    kept.put(item, item);
    releaseEvicted();
  }

  /** Records a use. */
  void used(Cached item) {
    var unused = kept.getIfPresent(item); // only to record the access
    releaseEvicted();
  }

  /** Records a use of something that is used so often that a sample is enough. */
  void usedOften(Cached item) {
    if (crowded && ThreadLocalRandom.current().nextInt(RECORDED_ONE_IN) == 0) {
      used(item);
    }
  }

  /** Drops something, if it is kept. */
  void evict(Cached item) {
    drop(item);
    releaseEvicted();
  }

  /** The same, but leaves it to the caller to have it released. */
  void drop(Cached item) {
    kept.invalidate(item);
  }

  /** Releases what was evicted: one after the other, not one within the other. */
  void releaseEvicted() {
    for (Cached next = evicted.poll(); next != null; next = evicted.poll()) {
      bytes.addAndGet(-next.bytes());
      next.evicted();
    }
  }

  /** Drops everything in tables of one owner. */
  void dropAllOf(Object owner) {
    kept.asMap().keySet().removeIf(item -> item.isOf(owner));
    releaseEvicted();
  }
}
