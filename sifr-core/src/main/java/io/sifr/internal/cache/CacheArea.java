package io.sifr.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A region of the cache, bounded in bytes, with the W-TinyLFU eviction of Caffeine, so that one
 * long scan does not evict everything.
 *
 * <p>Thread-safe.
 */
final class CacheArea {
  /** An object larger than one in this many of the area's bytes would evict too much. */
  private static final int LARGEST_SHARE = 8;

  /** Of frequent uses a random sample, one in this many, is recorded. */
  private static final int RECORDED_ONE_IN = 16;

  /** A new object has to be seen twice if there are fewer free bytes than one in this many. */
  private static final int FULL_ONE_IN = 16;

  private final Cache<Cached, Cached> kept;
  private final Policy.Eviction<Cached, Cached> eviction;
  private final AtomicLong bytes = new AtomicLong();
  private volatile long maxBytes;

  /** The next to be evicted may be in frequent use; until then such uses are not recorded. */
  private volatile boolean crowded;

  private final Queue<Cached> evicted;

  /** For what is new when it is full; made then. */
  private volatile @Nullable Doorkeeper doorkeeper;

  /**
   * @param maxBytes capacity; 0 for none
   * @param evicted what was evicted, here or in another area, and has not been released yet. It is
   *     released outside of Caffeine's lock, because the eviction of a part of an index evicts its
   *     blocks.
   */
  CacheArea(long maxBytes, Queue<Cached> evicted) {
    this.maxBytes = maxBytes;
    this.evicted = evicted;
    this.kept =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher((Cached item, Cached same) -> item.bytes())
            // Evicted memory is released at once, by the thread that inserts: the bound holds.
            .executor(Runnable::run)
            .removalListener(
                (item, same, cause) -> {
                  if (item != null) {
                    bytes.addAndGet(-item.bytes());
                    evicted.add(item);
                  }
                })
            .build();
    this.eviction = kept.policy().eviction().orElseThrow();
  }

  /** Bytes of all it keeps, about. */
  long bytes() {
    return bytes.get();
  }

  /** Changes the capacity, and evicts what exceeds it. */
  void resize(long newMaxBytes) {
    maxBytes = newMaxBytes;
    noteIfCrowded();
    eviction.setMaximum(newMaxBytes);
    releaseEvicted();
  }

  /** Whether it keeps things of that size. */
  boolean takes(int bytesOfOne) {
    return bytesOfOne <= maxBytes / LARGEST_SHARE;
  }

  /**
   * Whether to keep something that was read because it was not kept: anything as long as there is
   * room, and then what was looked up lately, too.
   *
   * @param hash of its position
   */
  boolean wants(int hash) {
    return bytes.get() < maxBytes - maxBytes / FULL_ONE_IN || doorkeeper().knows(hash);
  }

  private Doorkeeper doorkeeper() {
    Doorkeeper made = doorkeeper;
    if (made == null) {
      made = new Doorkeeper(maxBytes / BlockMemory.PAGE_BYTES);
      doorkeeper = made; // of two that are made at once, one stays
    }
    return made;
  }

  /** Keeps something that it {@link #takes}, until it is evicted; which may be at once. */
  void add(Cached item) {
    bytes.addAndGet(item.bytes());
    noteIfCrowded();
    kept.put(item, item);
    releaseEvicted();
  }

  private void noteIfCrowded() {
    if (bytes.get() > maxBytes / 2 && !crowded) {
      crowded = true;
    }
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

  /** Releases what was evicted, in any area: one after the other, not one within the other. */
  void releaseEvicted() {
    for (Cached next = evicted.poll(); next != null; next = evicted.poll()) {
      next.evicted();
    }
  }

  /** Drops everything in tables of one owner. */
  void dropAllOf(Object owner) {
    kept.asMap().keySet().removeIf(item -> item.isOf(owner));
    releaseEvicted();
  }
}
