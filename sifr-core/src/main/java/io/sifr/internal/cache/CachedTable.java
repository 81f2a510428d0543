package io.sifr.internal.cache;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What the cache keeps of one file, or of one part of it, by number: found by an index instead of a
 * hash, without a key object. Thread-safe.
 *
 * @param <T> what is kept
 */
public class CachedTable<T extends Cached> implements Cached.Table {
  private final BlockCache cache;
  private final AtomicReferenceArray<@Nullable T> items;
  private final int hash;
  private volatile boolean closed;

  /**
   * An empty table.
   *
   * @param size number of the things there may be
   * @param hash hash code of the file or its part, the same whenever it is opened
   */
  public CachedTable(BlockCache cache, int size, int hash) {
    this.cache = cache;
    this.hash = hash;
    this.items = new AtomicReferenceArray<>(size);
  }

  /** Hash code of a position in it. */
  public final int hash(int number) {
    return 31 * hash + number;
  }

  /** What the cache has of that number at this moment; this is not recorded as a use. */
  public final @Nullable T get(int number) {
    return items.get(number);
  }

  /** The same for frequent uses, of which a sample is recorded. */
  public final @Nullable T use(int number) {
    T item = items.get(number);
    if (item != null) {
      cache.usedOften(item);
    }
    return item;
  }

  /** Records a use of what {@link #get} has returned. */
  final void used(T item) {
    cache.used(item);
  }

  /** Whether the cache keeps things of that size, and the table keeps anything. */
  public final boolean takes(int bytes) {
    return !closed && cache.takes(bytes);
  }

  /**
   * Keeps something that it {@link #takes}, until it is evicted, which may be at once; unless there
   * is already something of that number, which is returned.
   */
  public final @Nullable T add(int number, T item) {
    item.keptBy(this, number, hash(number));
    T other = items.compareAndExchange(number, null, item);
    if (other == null) {
      cache.add(item);
      if (closed) {
        cache.evict(item); // it may have come after the others were removed
      }
    }
    return other;
  }

  @Override
  public final void remove(int number, Cached item) {
    // Nothing can come between: nothing takes its place, and nothing else removes it.
    if (item.equals(items.get(number))) {
      items.set(number, null);
    }
  }

  /**
   * Removes everything, and keeps nothing from now on. The memory is released by {@link
   * BlockCache#releaseEvicted}; the cache calls it if this is called by something that is evicted.
   */
  public final void close() {
    closed = true;
    for (int i = 0; i < items.length(); i++) {
      T item = items.get(i);
      if (item != null) {
        cache.drop(item);
      }
    }
  }
}
