package io.sifr.internal.cache;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what is used most frequently of what has been read from SSTs, bounded in bytes: blocks off
 * the heap, parts of indexes and pages of filters on the heap. It may be shared by several stores,
 * each of which uses it as its {@code OfStore}. It locates nothing: that is done by {@link
 * CachedTable}s.
 *
 * <p>Indexes and filters have an area of their own, and blocks get what it leaves, because one part
 * of an index or page of a filter serves the searches of some hundred blocks. If all competed, a
 * part that is read for the first time would look as cold as the blocks that fill the cache, and be
 * read again and again before it stays.
 *
 * <p>Thread-safe.
 */
public final class SharedCache {
  /** One in this many of the bytes is for blocks, or {@link #ENOUGH_FOR_BLOCKS}. */
  private static final int SHARE_FOR_BLOCKS = 4;

  /**
   * So many bytes are for blocks at least, if that is less. More helps less than an index in memory
   * does: without it each get reads twice.
   */
  private static final long ENOUGH_FOR_BLOCKS = 32 << 20;

  /** Whenever one in this many of its bytes was added, it is divided again. */
  private static final int DIVIDED_ONE_IN = 64;

  /** So many parts and pages read again are worth a warning, if they would have filled it. */
  private static final int MANY_REREADS = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(SharedCache.class);

  private final long mostOnHeap;
  private final long mostOffHeap;
  private final CacheArea onHeap;
  private final CacheArea offHeap;

  private final Runnable changed;
  private volatile long maxBytes;

  /** Bytes of parts of indexes and pages of filters that were read, and for which is no room. */
  private final AtomicLong lacking = new AtomicLong();

  /** Bytes of these that were read again. */
  private final AtomicLong again = new AtomicLong();

  private final AtomicLong rereads = new AtomicLong();
  private final AtomicBoolean isTold = new AtomicBoolean();

  /** Bytes that were added since it was divided. */
  private final AtomicLong undivided = new AtomicLong();

  /**
   * A cache of constant size.
   *
   * @param maxBytes capacity; 0 for no cache
   */
  public SharedCache(long maxBytes) {
    this(maxBytes, Long.MAX_VALUE, Long.MAX_VALUE, () -> {});
  }

  /**
   * A cache.
   *
   * @param maxBytes capacity, the largest that it will have
   * @param mostOnHeap bytes of it that may be on the heap
   * @param mostOffHeap bytes of it that may be off the heap
   * @param changed called now and then when much was added
   */
  public SharedCache(long maxBytes, long mostOnHeap, long mostOffHeap, Runnable changed) {
    this.changed = changed;
    this.maxBytes = maxBytes;
    this.mostOnHeap = mostOnHeap;
    this.mostOffHeap = mostOffHeap;
    Queue<CacheArea.Item> evicted = new ConcurrentLinkedQueue<>();
    this.onHeap = new CacheArea(maxBytes, evicted);
    this.offHeap = new CacheArea(maxBytes, evicted);
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
    return onHeap.bytes() + offHeap.bytes();
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

  /** Called when something was added: now and then, what there is is divided again. */
  void added(int bytes) {
    if (undivided.addAndGet(bytes) > maxBytes / DIVIDED_ONE_IN) {
      undivided.set(0);
      divide();
      changed.run();
    }
  }

  private synchronized void divide() {
    long forBlocks =
        Math.min(mostOffHeap, Math.min(maxBytes / SHARE_FOR_BLOCKS, ENOUGH_FOR_BLOCKS));
    onHeap.resize(Math.min(mostOnHeap, maxBytes - forBlocks));
    offHeap.resize(Math.min(mostOffHeap, Math.max(0, maxBytes - onHeap.bytes())));
  }

  /** There is no room for so many bytes of indexes and filters more; for less, if negative. */
  void lacks(int bytes) {
    lacking.addAndGet(bytes);
  }

  /** So many bytes of these were read again. */
  private void readAgain(int bytes) {
    lacks(-bytes);
    long all = again.addAndGet(bytes);
    if (rereads.incrementAndGet() >= MANY_REREADS
        && all >= onHeap.maxBytes()
        && !isTold.get()
        && isTold.compareAndSet(false, true)) {
      LOG.warn(
          "indexes and filters are read again and again: {} bytes are kept, and those in use take"
              + " {}. They have a quarter of the heap, and of memoryBudgetBytes, if it is set, what"
              + " write buffers and a little cache of blocks leave",
          onHeap.maxBytes(),
          onHeap.bytes() + lacking.get() + bytes);
    }
  }

  void releaseEvicted() {
    onHeap.releaseEvicted();
  }

  /** Drops everything in tables of one owner. */
  void dropAllOf(Object owner) {
    onHeap.dropAllOf(owner);
    offHeap.dropAllOf(owner);
  }

  /**
   * The part of one store in a {@link SharedCache}, counted by use.
   *
   * <p>Thread-safe.
   */
  public static final class OfStore implements AutoCloseable {
    private final SharedCache shared;
    private final Map<CacheUse, LongAdder> bytes = new EnumMap<>(CacheUse.class);
    private final LongAdder rereads = new LongAdder();

    /** Nothing yet. */
    public OfStore(SharedCache shared) {
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
    public OfStore(long maxBytes) {
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

    /**
     * How many parts of indexes and pages of filters were read again because there was no room for
     * them.
     */
    public long rereads() {
      return rereads.sum();
    }

    /** Part of an index or a filter, of that size, was read again. */
    void readAgain(int size) {
      rereads.increment();
      shared.readAgain(size);
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
}
