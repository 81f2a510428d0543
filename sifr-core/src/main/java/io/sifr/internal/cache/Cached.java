package io.sifr.internal.cache;

import org.jspecify.annotations.Nullable;

/**
 * Something that takes memory and that the cache may drop. Its position is a number in a {@link
 * Table}. It is equal to nothing else, but its hash code is that of its position: by hash codes the
 * cache remembers how often something was used before it was dropped and read again. Thread-safe.
 */
public abstract class Cached {
  /** A table in which it is found by its number. */
  interface Table {
    /** It is kept no longer. */
    void remove(int number, Cached item);

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
