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
public final class CacheArea {
  /** An object larger than one in this many of the area's bytes would evict too much. */
  private static final int LARGEST_SHARE = 8;

  /** Of frequent uses a random sample, one in this many, is recorded. */
  private static final int RECORDED_ONE_IN = 16;

  /** A new object has to be seen twice if there are fewer free bytes than one in this many. */
  private static final int FULL_ONE_IN = 16;

  private final Cache<Item, Item> kept;
  private final Policy.Eviction<Item, Item> eviction;
  private final AtomicLong bytes = new AtomicLong();
  private volatile long maxBytes;

  /** The next to be evicted may be in frequent use; until then such uses are not recorded. */
  private volatile boolean crowded;

  private final Queue<Item> evicted;

  /** For what is new when it is full; made then. */
  private volatile @Nullable Doorkeeper doorkeeper;

  /**
   * @param maxBytes capacity; 0 for none
   * @param evicted what was evicted, here or in another area, and has not been released yet. It is
   *     released outside of Caffeine's lock, because the eviction of a part of an index evicts its
   *     blocks.
   */
  CacheArea(long maxBytes, Queue<Item> evicted) {
    this.maxBytes = maxBytes;
    this.evicted = evicted;
    this.kept =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher((Item item, Item same) -> item.bytes())
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

  /** Its capacity. */
  long maxBytes() {
    return maxBytes;
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
  void add(Item item) {
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
  void used(Item item) {
    var unused = kept.getIfPresent(item); // only to record the access
    releaseEvicted();
  }

  /** Records a use of something that is used so often that a sample is enough. */
  void usedOften(Item item) {
    if (crowded && ThreadLocalRandom.current().nextInt(RECORDED_ONE_IN) == 0) {
      used(item);
    }
  }

  /** Drops something, if it is kept. */
  void evict(Item item) {
    drop(item);
    releaseEvicted();
  }

  /** The same, but leaves it to the caller to have it released. */
  void drop(Item item) {
    kept.invalidate(item);
  }

  /** Releases what was evicted, in any area: one after the other, not one within the other. */
  void releaseEvicted() {
    for (Item next = evicted.poll(); next != null; next = evicted.poll()) {
      next.evicted();
    }
  }

  /** Drops everything in tables of one owner. */
  void dropAllOf(Object owner) {
    kept.asMap().keySet().removeIf(item -> item.isOf(owner));
    releaseEvicted();
  }

  /**
   * Distinguishes what has been read before not long ago from what was not: the doorkeeper of
   * TinyLFU (Einziger, Friedman, Manes, 2017). To keep what is read once costs an eviction, and
   * memory that is in no cache of the processor, for nothing.
   *
   * <p>Remembers as many hash codes as it has slots, each until another one takes its slot.
   * Thread-safe without a word that is written in turns: an entry that is lost in a race costs one
   * more read.
   */
  static final class Doorkeeper {
    private static final int GOLDEN = 0x9E3779B9;

    private final int[] last;
    private final int shift;

    /**
     * Has seen nothing.
     *
     * @param slots how many hash codes to remember, at least
     */
    Doorkeeper(long slots) {
      int bits = 64 - Long.numberOfLeadingZeros(Math.min(1 << 24, Math.max(2, slots)) - 1);
      last = new int[1 << bits];
      shift = Integer.SIZE - bits;
    }

    /** Whether that was seen lately. It is now. */
    boolean knows(int hash) {
      int mixed = hash * GOLDEN; // one to one: hash codes that share a slot still differ
      int slot = mixed >>> shift;
      if (last[slot] == mixed) {
        return true;
      }
      last[slot] = mixed;
      return false;
    }
  }

  /**
   * Something that takes memory and that the cache may drop. Its position is a number in a {@link
   * Table}. It is equal to nothing else, but its hash code is that of its position: by hash codes
   * the cache remembers how often something was used before it was dropped and read again.
   * Thread-safe.
   */
  public abstract static class Item {
    /** A table in which it is found by its number. */
    interface Table {
      /** It is kept no longer. */
      void remove(int number, Item item);

      /** What keeps it: the cache of a store. */
      Object owner();
    }

    // Its position; set before it is shared.
    private @Nullable Table table;
    private int number;
    private int hash;

    /** The memory it takes. */
    public abstract int bytes();

    /** What the memory is used for. */
    public abstract CacheUse use();

    /** Called once, when the cache keeps it no longer and it is not in its table any more. */
    protected abstract void dropped();

    /** Sets its position before it is shared. */
    final void keptBy(Table by, int byNumber, int hashOfPosition) {
      table = by;
      number = byNumber;
      hash = hashOfPosition;
    }

    /** Called when the cache has removed it. */
    final void evicted() {
      Table left = table;
      if (left != null) {
        left.remove(number, this);
      }
      dropped();
    }

    /** Whether it is in a table of that owner. */
    final boolean isOf(Object owner) {
      Table in = table;
      return in != null && in.owner() == owner;
    }

    @Override
    public final int hashCode() {
      return hash;
    }

    @Override
    public final boolean equals(@Nullable Object other) {
      return this == other;
    }
  }
}
