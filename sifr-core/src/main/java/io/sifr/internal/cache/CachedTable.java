package io.sifr.internal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The cached objects of one file, or of one part of it, by number: found by an index instead of a
 * hash, without a key object. Thread-safe.
 *
 * @param <T> what is kept
 */
public class CachedTable<T extends CacheArea.Item> implements CacheArea.Item.Table {
  // An AtomicReferenceArray would be one more object on the way of each search.
  private static final VarHandle ITEMS =
      MethodHandles.arrayElementVarHandle(CacheArea.Item[].class);

  private final CacheArea area;
  private final SharedCache.OfStore cache;
  private final CacheArea.@Nullable Item[] items;
  private final int hash;
  private volatile boolean closed;

  /**
   * Of what was dropped because there was no room for it, the bytes that it needs; null for blocks,
   * which nobody expects to be kept all. Written without a lock: a thread that does not see that
   * counts it once more or less.
   */
  private final int @Nullable [] lacking;

  /**
   * An empty table of what is on the heap.
   *
   * @param size number of the things there may be
   * @param hash hash code of the file or its part, the same whenever it is opened
   */
  public CachedTable(SharedCache.OfStore cache, int size, int hash) {
    this(cache, cache.shared().onHeap(), size, hash, new int[size]);
  }

  /**
   * An empty table for one thing on the heap that is a copy of what is at hand elsewhere, so that
   * it is not lacking when it is dropped.
   */
  public static <T extends CacheArea.Item> CachedTable<T> ofCopy(
      SharedCache.OfStore cache, int hash) {
    return new CachedTable<>(cache, cache.shared().onHeap(), 1, hash, null);
  }

  /** The same for things that compete in an area of the cache. */
  private CachedTable(
      SharedCache.OfStore cache, CacheArea area, int size, int hash, int @Nullable [] lacking) {
    this.lacking = lacking;
    this.cache = cache;
    this.area = area;
    this.hash = hash;
    this.items = new CacheArea.Item[size];
  }

  /** Number of the things there may be. */
  public final int size() {
    return items.length;
  }

  /** Hash code of a position in it. */
  public final int hash(int number) {
    return 31 * hash + number;
  }

  /** The cached object of that number at this moment; this is not recorded as a use. */
  @SuppressWarnings("unchecked") // what is there was added as a T
  public final @Nullable T get(int number) {
    return (T) ITEMS.getAcquire(items, number);
  }

  /** The same for frequent uses, of which a sample is recorded. */
  public final @Nullable T use(int number) {
    T item = get(number);
    if (item != null) {
      area.usedOften(item);
    }
    return item;
  }

  /** Records a use of what {@link #get} has returned. */
  final void used(T item) {
    area.used(item);
  }

  /** Whether the cache keeps things of that size, and the table keeps anything. */
  public final boolean takes(int bytes) {
    return !closed && area.takes(bytes);
  }

  /** Whether there is room for something of that size, and for as much again as is kept. */
  public final boolean hasPlenty(int bytes) {
    return takes(bytes) && area.bytes() + bytes <= area.maxBytes() / 2;
  }

  /**
   * Whether to {@link #add} something that was read because it was not there. Called once for each
   * reading: when the cache is full, it wants what is read again.
   */
  public final boolean wants(int number, int bytes) {
    return get(number) == null && takes(bytes) && area.wants(hash(number));
  }

  /**
   * Keeps something that it {@link #takes}, until it is evicted, which may be at once; unless there
   * is already something of that number, which is returned.
   */
  @SuppressWarnings("unchecked") // as above
  public final @Nullable T add(int number, T item) {
    item.keptBy(this, number, hash(number));
    T other =
        (T) ITEMS.compareAndExchange(items, number, (CacheArea.Item) null, (CacheArea.Item) item);
    if (other == null) {
      notLacking(number);
      cache.count(item.use(), item.bytes());
      area.add(item);
      cache.shared().added(item.bytes());
      if (closed) {
        area.evict(item); // it may have come after the others were removed
      }
    }
    return other;
  }

  @Override
  public final Object owner() {
    return cache;
  }

  @Override
  public final void remove(int number, CacheArea.Item item) {
    cache.count(item.use(), -item.bytes());
    ITEMS.compareAndSet(items, number, item, (CacheArea.Item) null);
    lacks(number, item.bytes());
  }

  /** Something of that size was read that is too large to be kept, see {@link #takes}. */
  protected final void readWithoutKeeping(int number, int bytes) {
    notLacking(number);
    lacks(number, bytes);
  }

  private void lacks(int number, int bytes) {
    if (lacking != null && !closed && lacking[number] == 0) {
      lacking[number] = bytes;
      cache.shared().lacks(bytes);
    }
  }

  /** Something was read: if it was dropped before, it was read again. */
  private void notLacking(int number) {
    int bytes = lacking == null ? 0 : lacking[number];
    if (lacking != null && bytes > 0) {
      lacking[number] = 0;
      cache.readAgain(bytes);
    }
  }

  /**
   * Removes everything, and keeps nothing from now on. The memory is released by {@link
   * SharedCache.OfStore#releaseEvicted}; the cache calls it if this is called by something that is
   * evicted.
   */
  public final void close() {
    closed = true;
    dropAll();
    if (lacking != null) {
      for (int i = 0; i < lacking.length; i++) {
        cache.shared().lacks(-lacking[i]);
        lacking[i] = 0;
      }
    }
  }

  /** Removes everything. The memory is released as by {@link #close}. */
  public final void dropAll() {
    for (int i = 0; i < items.length; i++) {
      T item = get(i);
      if (item != null) {
        area.drop(item);
      }
    }
  }

  /** The blocks that the cache keeps of one part of a file, by number. Thread-safe. */
  public static final class Blocks extends CachedTable<MemoryBlock> {
    /**
     * An empty table.
     *
     * @param size number of blocks
     * @param hash hash code of the part of the file
     */
    public Blocks(SharedCache.OfStore cache, int size, int hash) {
      super(cache, cache.shared().offHeap(), size, hash, null);
    }

    /** Whether a block is in the cache at this moment. */
    public boolean contains(int number) {
      return get(number) != null;
    }

    /**
     * A block, if it is in the cache. It is retained for the caller, which must {@link
     * MemoryBlock#release} it.
     */
    public @Nullable MemoryBlock acquire(int number) {
      MemoryBlock block = get(number);
      if (block == null || !block.tryRetain()) {
        return null;
      }
      used(block);
      return block;
    }

    /**
     * Inserts a block that was read because it was not in the cache, if that {@link #wants} it. The
     * caller's own reference is unchanged.
     */
    public void offer(int number, MemoryBlock block) {
      if (wants(number, block.bytes())) {
        keep(number, block);
      }
    }

    /**
     * Inserts a block that it {@link #wants}, unless it is cached already or the table is closed.
     * The caller's own reference is unchanged.
     */
    public void keep(int number, MemoryBlock block) {
      if (block.tryRetain() && add(number, block) != null) {
        block.release();
      }
    }
  }
}
